import { postJson, readAll, until } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { eventsOf, requestOf, sendEvents, withGuardedGateway, withServer } from './guarded-gateway.ts';

const LONG = 'This sentence is here because the gateway holds the end of a text back for a while. ';
const provider = withServer();
const guard = withServer();
const gateway = withGuardedGateway(provider, () => [
  { id: 'service', kind: 'http', url: `${guard.url}/check`, deadline_ms: 30_000 },
]);

/** Asks a data plane of its own for a stream, and ends it while a guardrail checks a text with `held`. */
async function endWhileHeld(held: string, signal: 'SIGTERM' | 'SIGKILL') {
  const plane = await spawnDataPlane(gateway, 300);
  await until(async () => (await fetch(`${plane.internalUrl}/health/ready`)).ok);
  const before = await records();
  let isHeld = false;
  guard.answer((_req, res, body) => {
    if (JSON.parse(body).texts.join().includes(held)) isHeld = true;
    else res.end('{"action":"NONE"}');
  });
  // The check of the first sentence ends before the provider does, also on a busy machine.
  sendEvents(provider, eventsOf('chat', 'text', [LONG, `Then ${LONG}`, 'Second one. ', LONG]), 'Then', 1_000);
  const asking = postJson(
    plane.baseUrl,
    gateway.rawKey,
    'chat/completions',
    requestOf('chat', { stream: true }),
  )
    .then(async (response) => ({ status: response.status, body: (await readAll(response)).text }))
    .catch(() => undefined);
  await until(() => isHeld);
  plane.child.kill(signal);
  const [answer, exit] = [await asking, await plane.exit];
  return { answer, exit, added: async () => (await records()).slice(before.length) };
}

const records = () =>
  gateway.books.query(
    'SELECT cost, charged, client_error_code, is_provisional FROM usage_records ORDER BY settlement',
  );

describe('a data plane that ends while a guardrail holds back', () => {
  it('a request, calls no provider and charges nothing', async () => {
    const { added, answer, exit } = await endWhileHeld('Tell me', 'SIGTERM');
    expect(answer?.status).toBe(503);
    expect(exit).toEqual([0, null]);
    expect(provider.bodies).toEqual([]);
    expect(await added()).toEqual([]);
  });

  it('a response, sends none of it and charges it once', async () => {
    const { added, answer, exit } = await endWhileHeld('Second', 'SIGTERM');
    expect(answer?.body).toContain('This sentence');
    expect(answer?.body).not.toContain('Second');
    expect(exit).toEqual([0, null]);
    const [record, ...others] = await added();
    expect(others).toEqual([]);
    expect(record).toMatchObject({ client_error_code: 'overloaded', is_provisional: false });
    expect(record?.charged).toBe(record?.cost);
  });

  it('a response, and is killed, leaves no hold and no text', async () => {
    const { added, answer } = await endWhileHeld('Second', 'SIGKILL');
    expect(answer?.body ?? '').not.toContain('Second');
    await until(async () => (await gateway.books.pools()).every(({ held }) => held === 0n), 120_000);
    expect((await added()).length).toBeLessThanOrEqual(1);
  });
});
