import { setTimeout as wait } from 'node:timers/promises';
import { until } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { auditAnswers } from './kill-drill-audit.ts';
import { at, send, startLoad, statusesOf } from './outage-money-load.ts';
import { poolProblems, type SettlementMode, startMoneyStack } from './outage-money-stack.ts';

/** Streams that run when the signal comes: the short ones end in time, the long ones are cut. */
const SHORT_STREAMS = 5;
const LONG_STREAMS = 5;
const words = (count: number) => 'word '.repeat(count).trim();

describe.concurrent('a data plane that gets SIGTERM under load', () => {
  it.each<[SettlementMode, 'there' | 'away']>([
    ['background', 'away'],
    ['acknowledged', 'there'],
  ])(
    'a data plane with SETTLEMENT=%s loses nothing when SIGTERM comes while Postgres is %s',
    async (settlement, postgres) => {
      await using stack = await startMoneyStack({ settlement, environment: { DRAIN_TIMEOUT_MS: '5000' } });
      const dataPlane = at(stack.dataPlanes, 0);
      const { rawKey, poolId } = await stack.createPayer('1000');
      await until(async () => (await send(dataPlane.port, rawKey)).status === 200);
      const load = startLoad(6, 0, () =>
        send(dataPlane.port, rawKey, { simulate: { content: words(20), delay_ms: 20 } }),
      );
      const stream = (tokens: number) =>
        send(dataPlane.port, rawKey, {
          streamed: true,
          maxTokens: tokens,
          simulate: { content: words(tokens), token_delay_ms: 20 },
        });
      const streams = [
        ...Array.from({ length: SHORT_STREAMS }, () => stream(30)),
        ...Array.from({ length: LONG_STREAMS }, () => stream(600)),
      ];
      await until(() => load.answers.length > 20);
      if (postgres === 'away') {
        stack.postgresProxy?.cut();
        await wait(300);
        setTimeout(() => stack.postgresProxy?.restore(), 1_500);
      }
      const signalledAtMs = performance.now();
      const exiting = dataPlane.stop();
      // A load balancer sends nothing there any more; what still comes is refused.
      await load.stop();
      const exitCode = await exiting;
      const exitedAtMs = performance.now();
      const held = await stack.heldNanoUsd();
      const answers = [...load.answers, ...(await Promise.all(streams))];
      const found = await auditAnswers(stack, answers);
      console.log(
        `SIGTERM, ${settlement}, Postgres ${postgres}: ${JSON.stringify({
          answers: statusesOf(answers),
          providerSaw: stack.provider.requests.length,
          records: found.records,
          heldAtExit: String(held),
          exitMs: Math.round(exitedAtMs - signalledAtMs),
        })}`,
      );
      expect(exitCode).toBe(0);
      expect(held).toBe(0n);
      expect(found.unbilled).toEqual([]);
      expect(found.problems).toEqual([]);
      expect(found.records).toBe(stack.provider.requests.length);
      const streamed = answers.filter(({ plan }) => plan.streamed);
      const records = await stack.usageRecords();
      for (const { complete, deltas, requestId = '' } of streamed) {
        const record = records.get(requestId);
        expect(record?.reason).toMatch(complete ? 'completed' : deltas > 0 ? 'aborted_partial' : /./);
        expect(Number(record?.outputTokens)).toBeGreaterThanOrEqual(deltas);
      }
      expect(streamed.some(({ complete }) => !complete)).toBe(true);
      expect(streamed.some(({ complete }) => complete)).toBe(true);
      expect(poolProblems(await stack.pools())).toEqual([]);
      expect((await stack.pools()).find(({ id }) => id === poolId)?.charged).toBe(
        [...records.values()].reduce((sum, { cost }) => sum + cost, 0n),
      );
      await until(async () => (await stack.verifyLedger()).length === 0);
    },
  );
});
