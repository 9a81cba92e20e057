import { setTimeout as wait } from 'node:timers/promises';
import { until, untilWithin, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ProviderBreakers } from '../../src/upstream/provider-breakers.ts';

/** A little longer than the silence after which a caller who leaves counts as slowness. */
const SILENCE_MS = 5_200;
const FRESH_MS = 5_000;
const statuses = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      status: z.string(),
      sentence: z.string().nullable(),
      requests_5m: z.number().nullable(),
      gave_up_5m: z.number().nullable(),
      success_5m: z.number().nullable(),
      error_rate_5m: z.number().nullable(),
      latency_ms: z.object({ p50: z.number().nullable() }),
      time_to_first_token_ms: z.object({ p50: z.number() }).nullable(),
    }),
  ),
});

const gateway = withGateway({
  // Two failures would shut this provider out.
  catalog: true,
  overrides: { breakers: new ProviderBreakers(2) },
});

async function chat(simulate: object, { stream = false, leave = new AbortController().signal } = {}) {
  return (await gateway.chat({ stream, simulate }, { signal: leave })).status;
}
const row = async () => {
  const answer = await fetch(`http://127.0.0.1:${gateway.catalog?.port}/v1/status/models`);
  return statuses.parse(await answer.json()).data.find(({ id }) => id === 'sim/chat-free');
};

describe('callers who give up on a silent provider', () => {
  it('callers who give up count as slowness, plain and streamed, and open no circuit breaker', async () => {
    const callers = new AbortController();
    const silent = [false, true].flatMap((stream) =>
      ['before_headers', 'after_headers'].map((hang) => chat({ hang }, { stream, leave: callers.signal })),
    );
    const ended = Promise.allSettled(silent);
    await until(() => gateway.provider.requests.length === 4);
    await wait(SILENCE_MS);
    callers.abort();
    for (const { status } of await ended) expect(status).toBe('rejected');
    expect(await chat({})).toBe(200);
    await untilWithin(FRESH_MS, async () => (await row())?.requests_5m === 5);
    const found = await row();
    expect(found).toMatchObject({
      status: 'degraded_performance',
      gave_up_5m: 4,
      success_5m: 1,
      error_rate_5m: 0,
    });
    expect(found?.sentence).toMatch(
      /^Slow since .* UTC, 4 of 5 callers gave up before the first byte in the last 5 minutes\.$/,
    );
    expect(found?.latency_ms.p50).toBeGreaterThan(4_500);
    expect(found?.time_to_first_token_ms?.p50).toBeGreaterThan(4_500);
    expect(gateway.logText()).toMatch(/"silent_ms":\d{4,}/);
  });

  it('callers who leave soon, or after the response began, do not count', async () => {
    const before = (await row())?.requests_5m ?? 0;
    const [soon, late] = [new AbortController(), new AbortController()];
    gateway.provider.clear();
    const gone = Promise.allSettled([
      chat({ hang: 'before_headers' }, { leave: soon.signal }),
      chat({ hang: { after_events: 3 } }, { stream: true, leave: late.signal }),
    ]);
    await until(() => gateway.provider.requests.length === 2);
    soon.abort();
    await wait(SILENCE_MS);
    late.abort();
    await gone;
    await untilWithin(FRESH_MS, async () => (await row())?.requests_5m === before + 2);
    expect((await row())?.gave_up_5m).toBe(4);
  });
});
