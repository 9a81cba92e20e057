import { setTimeout as wait } from 'node:timers/promises';
import { TEST_SECRETS, until } from '@model-gateway/test-kit';
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '@model-gateway/test-kit/replicated-postgres';
import { describe, expect, it } from 'vitest';
import { runWith } from '../../../../packages/cli/tests/gatewayctl-fixture.ts';
import { auditAnswers } from './kill-drill-audit.ts';
import { type Answer, at, send, startLoad, statusesOf } from './outage-money-load.ts';
import { type MoneyStack, poolProblems, startMoneyStack } from './outage-money-stack.ts';

const { ADMIN_TOKEN } = TEST_SECRETS;
const LANES = 8;
/**
 * The time for which the address leads to a standby that is not promoted yet, as while a cluster elects its
 * primary.
 */
const UNDECIDED_MS = 3_000;
const RECOVERY_MS = 60_000;
/** The time that a commit takes to the standby, or a response to its client, on a busy machine. */
const ON_ITS_WAY_MS = 1_000;

describe('a standby that takes over from a lost primary under load', () => {
  it('a synchronous standby loses nothing, charges nothing twice, and no caller gets 401 or 402', async () => {
    await using postgres = await startReplicatedPostgres(true);
    await using stack = await startStack(postgres);
    const revoked = await stack.createPayer('1');
    const environment = { CONTROL_PLANE_ADDRESS: at(stack.controlPlaneAddresses, 0), ADMIN_TOKEN };

    const { answers, summary } = await takeOver(stack, postgres, async () => {
      expect(await runWith(environment, ['keys', 'revoke', revoked.keyId])).toMatchObject({ code: 0 });
    });

    for (const { port } of stack.dataPlanes)
      expect((await send(port, revoked.rawKey, { model: 'sim/chat-free' })).status).toBe(401);
    await until(async () => (await auditAnswers(stack, answers)).unbilled.length === 0, RECOVERY_MS);
    await expectLedgerAgrees(stack, answers);
    process.stdout.write(`standby drill, synchronous: ${summary}\n`);
  });

  it('an asynchronous standby loses what it had not received, and the accounts still agree', async () => {
    await using postgres = await startReplicatedPostgres(false);
    await using stack = await startStack(postgres);

    let behindAtMs = 0;
    const { answers, lostAtMs, summary } = await takeOver(stack, postgres, async () => {
      postgres.fallBehind();
      behindAtMs = performance.now();
    });

    const lost = () => auditAnswers(stack, answers).then(({ unbilled }) => unbilled);
    const between = ({ endedAtMs }: Answer) =>
      endedAtMs >= behindAtMs - ON_ITS_WAY_MS && endedAtMs <= lostAtMs + ON_ITS_WAY_MS;
    await until(async () => (await lost()).every(between), RECOVERY_MS);
    const count = (await lost()).length;
    expect(count).toBeGreaterThan(0);
    await expectLedgerAgrees(stack, answers);
    process.stdout.write(
      `standby drill, ${seconds(lostAtMs - behindAtMs)} s behind: ${summary}, ${count} not billed\n`,
    );
  });
});

function startStack({ databaseUrl }: ReplicatedPostgres): Promise<MoneyStack> {
  return startMoneyStack({ databaseUrl, controlPlanes: 2, dataPlanes: 2, settlement: 'acknowledged' });
}

/**
 * Sends requests before, while and after the standby takes over.
 * @param before runs under load, before the primary is lost
 */
async function takeOver(stack: MoneyStack, postgres: ReplicatedPostgres, before: () => Promise<void>) {
  const payer = await stack.createPayer('1000');
  const load = startLoad(LANES, 5, (lane) =>
    send(
      at(stack.dataPlanes, lane % 2).port,
      payer.rawKey,
      lane % 4 === 3 ? { streamed: true } : { image: lane % 2 === 0 },
    ),
  );
  const more = async (count: number) => {
    const nowMs = performance.now();
    const isNew = (answer: Answer) => answer.status === 200 && answer.complete && answer.sentAtMs > nowMs;
    await until(() => load.answers.filter(isNew).length >= count, RECOVERY_MS);
  };
  await more(100);
  await before();
  await more(100);
  const lostAtMs = performance.now();
  postgres.losePrimary();
  await wait(UNDECIDED_MS);
  await postgres.promote();
  const promotedAtMs = performance.now();
  await more(200);
  await load.stop();

  const { answers } = load;
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.filter(({ retryAfter }) => retryAfter === undefined)).toEqual([]);
  const slowestMs = Math.max(...answers.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs));
  const lastMs = Math.max(lostAtMs, ...refused.map(({ endedAtMs }) => endedAtMs)) - lostAtMs;
  const summary = [
    JSON.stringify(statusesOf(answers)),
    `promoted after ${seconds(promotedAtMs - lostAtMs)} s`,
    refused.length === 0 ? 'nobody refused' : `the last one refused after ${seconds(lastMs)} s`,
    `slowest answer ${seconds(slowestMs)} s`,
  ].join(', ');
  return { answers, lostAtMs, summary };
}

async function expectLedgerAgrees(stack: MoneyStack, answers: readonly Answer[]): Promise<void> {
  expect((await auditAnswers(stack, answers)).problems).toEqual([]);
  expect(await stack.verifyLedger()).toEqual([]);
  expect(poolProblems(await stack.pools())).toEqual([]);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
