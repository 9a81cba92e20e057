import { setTimeout as wait } from 'node:timers/promises';
import { createAccount, requestsOnRecord } from '../account.ts';
import { isWhole, isWholeOrUnavailable, Load, type Outcome, summary } from '../load.ts';
import type { Check } from '../report.ts';
import type { Container, Stack } from '../stack.ts';

interface Fault {
  what: string;
  services: readonly string[];
  /** Freezes the process for a time, or kills it (`crash`) and lets it restart by itself. */
  how: { pauseMs: number } | 'crash';
  /** Returns whether clients may see this until recovery; default: `isWholeOrUnavailable`. */
  allows?(outcome: Outcome): boolean;
  /** Maximum time from the end of the pause, or from the crash, to the last response that is not 200. */
  recoveryMs: number;
  /** Sends no free requests: they wait for no commit, so a crash can lose the records of the last ones. */
  paidOnly?: true;
}

const FREEZE = { pauseMs: 8_000 };
const WARM_UP_MS = 2_000;

const FAULTS: readonly Fault[] = [
  { what: 'Redis frozen', services: ['redis'], how: FREEZE, allows: isWhole, recoveryMs: 0 },
  { what: 'Redis killed', services: ['redis'], how: 'crash', allows: isWhole, recoveryMs: 0 },
  { what: 'one control plane frozen', services: ['control-plane-1'], how: FREEZE, recoveryMs: 5_000 },
  { what: 'one control plane killed', services: ['control-plane-2'], how: 'crash', recoveryMs: 5_000 },
  {
    what: 'both control planes killed',
    services: ['control-plane-1', 'control-plane-2'],
    how: 'crash',
    recoveryMs: 15_000,
  },
  { what: 'Postgres frozen', services: ['postgres'], how: FREEZE, recoveryMs: 15_000 },
  { what: 'Postgres killed', services: ['postgres'], how: 'crash', recoveryMs: 20_000 },
  {
    what: 'one data plane killed',
    services: ['data-plane'],
    how: 'crash',
    // Its open streams are cut. Unanswered requests are never sent again.
    allows: (outcome) =>
      isWholeOrUnavailable(outcome) || (outcome.kind === 'stream' && outcome.status === 200),
    recoveryMs: 5_000,
    paidOnly: true,
  },
  { what: 'one data plane frozen', services: ['data-plane'], how: FREEZE, recoveryMs: 5_000 },
];

/** Injects every fault under load, one after the other. */
export async function faults(stack: Stack, check: Check): Promise<void> {
  for (const [index, fault] of FAULTS.entries()) await drill(stack, check, fault, index);
}

async function drill(stack: Stack, check: Check, fault: Fault, index: number): Promise<void> {
  const account = await createAccount(stack, `fault-${index}`, { unlimited: true });
  const targets = await Promise.all(fault.services.map((service) => stack.container(service)));
  await using load = new Load({
    target: stack,
    key: account.key,
    workers: fault.paidOnly ? { stream: 6, paid: 8 } : { stream: 6, paid: 4, free: 4 },
  });
  await wait(WARM_UP_MS);
  const healthyBefore = load.outcomes.every(isWhole);
  const faultAtMs = performance.now();
  await (fault.how === 'crash' ? crash(stack, targets) : freeze(stack, targets, fault.how.pauseMs));
  const recoveredMs = await load.untilRecovered(fault.recoveryMs + 20_000);
  const outcomes = await load.stop();

  const { allows = isWholeOrUnavailable } = fault;
  const wrong = outcomes.filter((outcome) => !allows(outcome));
  const hurt = outcomes.filter((outcome) => !isWhole(outcome));
  const slowest = Math.max(
    ...outcomes.filter(({ kind }) => kind !== 'stream').map((one) => one.endedAtMs - one.startedAtMs),
  );
  check(
    `${fault.what}: answers`,
    healthyBefore && wrong.length === 0,
    `${summary(outcomes)}; slowest ${Math.round(slowest)} ms${wrong.length > 0 ? `; wrong: ${summary(wrong)}` : ''}`,
  );
  const lastHurtMs = Math.max(0, ...hurt.map(({ startedAtMs }) => startedAtMs - faultAtMs));
  check(
    `${fault.what}: recovers by itself`,
    recoveredMs !== undefined && recoveredMs <= fault.recoveryMs,
    recoveredMs === undefined
      ? 'not'
      : `${Math.round(recoveredMs)} ms (last refusal ${Math.round(lastHurtMs)} ms in)`,
  );
  await restarted(stack, fault, targets, check);
  // Partly delivered responses are on record, too.
  const [whole, sent] = [outcomes.filter(isWhole).length, outcomes.length];
  const recorded = await recordedAtLeast(stack, account, whole);
  check(
    `${fault.what}: nothing lost, nothing twice`,
    recorded >= whole && recorded <= sent,
    `${recorded} on record; ${whole} answered, ${sent} sent`,
  );
}

async function crash(stack: Stack, targets: readonly Container[]): Promise<void> {
  await Promise.all(targets.map((target) => stack.crash(target)));
}

async function freeze(stack: Stack, targets: readonly Container[], ms: number): Promise<void> {
  await Promise.all(targets.map(({ ID }) => stack.docker('pause', ID)));
  await wait(ms);
  await Promise.all(targets.map(({ ID }) => stack.docker('unpause', ID)));
}

/** Checks that killed containers run and are healthy again by themselves. */
async function restarted(
  stack: Stack,
  fault: Fault,
  targets: readonly Container[],
  check: Check,
): Promise<void> {
  if (fault.how !== 'crash') return;
  const deadline = performance.now() + 30_000;
  const format = '{{.RestartCount}} {{.State.Health.Status}}';
  for (const { ID, Name } of targets) {
    let state = '';
    while (state !== '1 healthy' && performance.now() < deadline) {
      await wait(300);
      state = (await stack.docker('inspect', '--format', format, ID)).trim();
    }
    if (!/^[1-9]\d* healthy$/.test(state)) check(`${fault.what}: ${Name} is back`, false, state);
  }
}

/** Waits, because settlements that were queued during an outage arrive later. */
async function recordedAtLeast(
  stack: Stack,
  account: Parameters<typeof requestsOnRecord>[1],
  min: number,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const recorded = await requestsOnRecord(stack, account);
    if (recorded >= min || attempt === 10) return recorded;
    await wait(1_000);
  }
}
