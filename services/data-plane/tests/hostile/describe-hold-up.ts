import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import { startGateway, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import type { HostileBody } from './hostile-body-families.ts';
import { type LatencyProbe, startLatencyProbe } from './latency-probe.ts';
import { type LongestTurn, watchLongestTurn } from './longest-turn.ts';

/** The longest time for which one request may hold up others. */
const MAX_MS = 100;
/** Measures the processor. One that parses this JSON in 8 ms needs at most 25 ms for a turn of any body. */
const REFERENCE = `[${'{"a":1},'.repeat(100_000)}1]`;
/**
 * A first request of its kind, and a pause of the machine, take longer than such requests do, so each body
 * has several tries.
 */
const TRIES = 3;

export interface HoldUpOptions {
  /** Makes each body when it is needed. */
  families: Readonly<Record<string, () => HostileBody>>;
  document: (providerBaseUrl: string) => CatalogDocumentInput;
  /** Sent before anything is measured: the thread that works on large bodies then runs. */
  first: () => HostileBody;
}

/** Tests that nobody else is held up while one of these bodies is served. */
export function describeHoldUp(what: string, { families, document, first }: HoldUpOptions): void {
  describe(what, () => {
    const stack = new AsyncDisposableStack();
    let rawKey: string;
    let plane: Awaited<ReturnType<typeof spawnDataPlane>>;
    let probe: LatencyProbe;
    let turns: LongestTurn;

    beforeAll(async () => {
      const provider = stack.adopt(
        new Worker(new URL('./fat-provider-thread.ts', import.meta.url)),
        async (thread) => void (await thread.terminate()),
      );
      const [port] = await once(provider, 'message');
      const gateway = stack.use(
        await startGateway({ dataPlanes: 0, document: () => document(`http://127.0.0.1:${port}/v1`) }),
      );
      ({ rawKey } = await gateway.createKey());
      turns = stack.use(await watchLongestTurn());
      plane = stack.use(await spawnDataPlane(gateway, 1_000, turns.environment));
      await until(async () => (await send(first())).status === 400);
      probe = stack.use(await startLatencyProbe(plane.baseUrl));
    });
    afterAll(() => stack.disposeAsync());

    async function send({ path, contentType, body }: HostileBody) {
      const response = await fetch(`${plane.baseUrl}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${rawKey}`, 'content-type': contentType },
        body,
      });
      return { status: response.status, text: response.ok ? '' : await response.text(), response };
    }

    /**
     * Sends a request until the data plane reaches the control plane, which runs in this process and is slow
     * while the process makes bodies.
     */
    async function served(hostile: HostileBody) {
      for (;;) {
        const answer = await send(hostile);
        if (!answer.text.includes('"control_plane_unavailable"')) return answer;
        await Promise.all([probe.take(), turns.take(plane.child)]);
      }
    }

    it.each(Object.entries(families))('%s does not hold up other requests', async (family, make) => {
      const hostile = make();
      const seen: string[] = [];
      for (let tries = 0; tries < TRIES; tries++) {
        await Promise.all([probe.take(), turns.take(plane.child)]);
        const answer = await served(hostile);
        const [{ max }, turnMs] = await Promise.all([probe.take(), turns.take(plane.child)]);
        await answer.response.body?.cancel().catch(() => undefined);
        expect(answer.status, answer.text.slice(0, 300)).toBe(hostile.status);
        seen.push(`${Math.round(max)} ms, by a turn that took ${Math.round(turnMs)} ms of CPU time`);
        // A machine that is busy with other things delays answers, too, but not by what this request costs.
        if (max < MAX_MS || turnMs < maxTurnMs()) return console.info(`${family}: ${seen.at(-1)}`);
      }
      expect.fail(`others were held up for ${seen.join('; ')}`);
    });
  });
}

/** Returns the limit for the CPU time of a turn, which is higher on a slow processor. */
function maxTurnMs(): number {
  const before = process.threadCpuUsage();
  JSON.parse(REFERENCE);
  return Math.max(MAX_MS, (10 * process.threadCpuUsage(before).user) / 1_000);
}
