import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway, until } from '../../../packages/test-kit/src/index.ts';
import { spawnDataPlane } from './data-plane-process.ts';
import { HOSTILE_BODIES, type HostileBody } from './hostile-body-families.ts';
import { type LatencyProbe, startLatencyProbe } from './latency-probe.ts';

/** What one request may hold others up at most. */
const MOST_MS = 100;
/** A busy machine holds up everybody now and then: what a request does by itself, it does each time. */
const TRIES = 5;

describe('while a hostile body arrives, other connections are answered as before', {
  timeout: 120_000,
}, () => {
  const stack = new AsyncDisposableStack();
  let gateway: TestGateway;
  let rawKey: string;
  let baseUrl: string;
  let probe: LatencyProbe;

  beforeAll(async () => {
    gateway = stack.use(await startGateway({ dataPlanes: 0 }));
    ({ rawKey } = await gateway.createKey());
    const plane = await spawnDataPlane(gateway);
    stack.defer(async () => {
      plane.child.kill('SIGTERM');
      await plane.exit;
    });
    ({ baseUrl } = plane);
    await until(async () => (await send(made('many wrong messages'))).status === 400, 60_000);
    probe = stack.use(await startLatencyProbe(baseUrl));
  });
  afterAll(() => stack.disposeAsync());

  async function send({ path, contentType, body }: HostileBody) {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': contentType },
      body,
    });
    return { status: response.status, text: await response.text() };
  }

  it.each(Object.keys(HOSTILE_BODIES))('%s', async (family) => {
    const hostile = made(family);
    const seen: string[] = [];
    for (let tries = 0; tries < TRIES; tries++) {
      // As long as that of the hostile body, and on the same machine.
      await probe.take();
      const quietUntilMs = performance.now() + 300;
      await until(() => performance.now() > quietUntilMs);
      const quiet = await probe.take();
      const answer = await send(hostile);
      const beside = await probe.take();
      expect(answer.status, answer.text.slice(0, 300)).toBe(hostile.status);
      if (beside.max < Math.max(MOST_MS, 3 * quiet.max)) return;
      seen.push(`${Math.round(beside.max)} ms, and ${Math.round(quiet.max)} ms in quiet`);
    }
    expect.fail(`others were held up for ${seen.join('; ')}`);
  });
});

function made(family: string): HostileBody {
  const make = HOSTILE_BODIES[family];
  if (make === undefined) throw new Error(`there is no family ${family}`);
  return make();
}
