import { modelStatusList } from '@model-gateway/shared';
import { chatBody, readMetrics, sumOf, until, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';

const CALLS = 3;
const LONG_MS = 1_000;

const gateway = withGateway({
  catalog: true,
  overrides: { waitingReports: { intervalMs: 100, longMs: LONG_MS } },
});

/** Starts calls that wait until `end` is called. */
function hang(more: object) {
  const stop = new AbortController();
  const body = chatBody({ simulate: { hang: 'before_headers' }, ...more });
  const calls = Array.from({ length: CALLS }, () =>
    gateway.post('chat/completions', body, { signal: stop.signal }).catch(() => 'ended'),
  );
  return {
    async end() {
      stop.abort();
      await Promise.all(calls);
    },
  };
}

async function metric(name: string): Promise<number | undefined> {
  const [plane] = gateway.dataPlanes;
  if (plane === undefined) throw new Error('there is no data plane');
  return sumOf(await readMetrics(plane), name, { provider: 'sim', model: 'sim/chat-free' });
}

const operatorSees = async () => (await gateway.admin.call(10_000, 'admin', 'getStatus', {})).waitingCalls;

const readersSee = async () =>
  modelStatusList
    .parse(await (await fetch(`http://127.0.0.1:${gateway.catalog?.port}/v1/status/models`)).json())
    .data.find(({ id }) => id === 'sim/chat-free')?.waiting;

describe.each([
  ['plain calls', {}],
  ['streams', { stream: true }],
])('%s that wait for a provider', (_name, more) => {
  it('waiting calls are in the metrics at once, with the longest wait, and leave them when they end', async () => {
    const waiting = hang(more);
    await until(async () => (await metric('gateway_waiting_calls')) === CALLS);
    const first = await metric('gateway_longest_waiting_call_seconds');
    await until(async () => Number(await metric('gateway_longest_waiting_call_seconds')) > Number(first));
    await waiting.end();
    await until(async () => (await metric('gateway_waiting_calls')) === undefined);
  });

  it('long waits are shown to operators and on the status page', async () => {
    const waiting = hang(more);
    // They have not begun to wait at the same moment.
    await until(async () => (await operatorSees())[0]?.calls === CALLS);
    const [shown] = await operatorSees();
    expect(shown).toMatchObject({ modelId: 'sim/chat-free', providerId: 'sim' });
    expect(Number(shown?.longestMs)).toBeGreaterThanOrEqual(LONG_MS);
    await until(async () => ((await readersSee())?.calls ?? 0) === CALLS);
    const seconds = (await readersSee())?.longest_seconds ?? 0;
    await until(async () => ((await readersSee())?.longest_seconds ?? 0) > seconds);
    await waiting.end();
    await until(async () => (await operatorSees()).length === 0);
    await until(async () => (await readersSee()) === null);
  });
});
