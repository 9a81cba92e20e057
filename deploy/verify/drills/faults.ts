import { setTimeout as wait } from 'node:timers/promises';
import { createAccount, requestsOnRecord } from '../account.ts';
import { Load, type Outcome, summary } from '../load.ts';
import type { Check } from '../report.ts';
import type { Container, Stack } from '../stack.ts';

interface Fault {
  what: string;
  services: readonly string[];
  /**
   * A pause lasts so long, and then the process goes on. `crash`: the process is killed, and comes back by
   * itself.
   */
  how: { pauseMs: number } | 'crash';
  /** Returns true if clients may get this answer while the fault lasts, and until recovery. */
  allows(outcome: Outcome): boolean;
  /**
   * The longest time from the end of the fault (of a crash: from its start) to the last answer that was not
   * 200.
   */
  recoveryMs: number;
  /**
   * No free requests: their answers wait for no commit, so that a crash may lose what is known of the last
   * ones.
   */
  paidOnly?: true;
}

const PAUSE_MS = 8_000;
const WARM_UP_MS = 2_000;

const isWell = ({ status, isWhole }: Outcome) => status === 200 && isWhole;
/** Allowed during a fault in the gateway: never 401, 402 or 429, and always a time to try again. */
const isUnavailable = ({ status, code, hasRetryAfter }: Outcome) =>
  status === 503 && hasRetryAfter && (code === 'control_plane_unavailable' || code === 'overloaded');
const wellOrUnavailable = (outcome: Outcome) => isWell(outcome) || isUnavailable(outcome);

/** The rows of the table of faults that can be shown on one machine. */
const FAULTS: readonly Fault[] = [
  {
    what: 'Redis frozen',
    services: ['redis'],
    how: { pauseMs: PAUSE_MS },
    allows: isWell,
    recoveryMs: 0,
  },
  { what: 'Redis killed', services: ['redis'], how: 'crash', allows: isWell, recoveryMs: 0 },
  {
    what: 'one control plane frozen',
    services: ['control-plane-1'],
    how: { pauseMs: PAUSE_MS },
    allows: wellOrUnavailable,
    recoveryMs: 5_000,
  },
  {
    what: 'one control plane killed',
    services: ['control-plane-2'],
    how: 'crash',
    allows: wellOrUnavailable,
    recoveryMs: 5_000,
  },
  {
    what: 'both control planes killed',
    services: ['control-plane-1', 'control-plane-2'],
    how: 'crash',
    allows: wellOrUnavailable,
    recoveryMs: 15_000,
  },
  {
    what: 'Postgres frozen',
    services: ['postgres'],
    how: { pauseMs: PAUSE_MS },
    allows: wellOrUnavailable,
    recoveryMs: 15_000,
  },
  {
    what: 'Postgres killed',
    services: ['postgres'],
    how: 'crash',
    allows: wellOrUnavailable,
    recoveryMs: 20_000,
  },
  {
    what: 'one data plane killed',
    services: ['data-plane'],
    how: 'crash',
    // Its open answers are cut. A request that was sent to it and not answered is never sent again.
    allows: (outcome) => wellOrUnavailable(outcome) || (outcome.kind === 'stream' && outcome.status === 200),
    recoveryMs: 5_000,
    paidOnly: true,
  },
  {
    what: 'one data plane frozen',
    services: ['data-plane'],
    how: { pauseMs: PAUSE_MS },
    allows: wellOrUnavailable,
    recoveryMs: 5_000,
  },
];

/** Tries every fault under load, one after the other. */
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
  const healthyBefore = load.outcomes.every(isWell);
  const faultAtMs = performance.now();
  await (fault.how === 'crash' ? crash(stack, targets) : freeze(stack, targets, fault.how.pauseMs));
  const recoveredMs = await load.untilWell(fault.recoveryMs + 20_000);
  const outcomes = await load.stop();

  const wrong = outcomes.filter((outcome) => !fault.allows(outcome));
  const hurt = outcomes.filter((outcome) => !isWell(outcome));
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
    `${fault.what}: well again by itself`,
    recoveredMs !== undefined && recoveredMs <= fault.recoveryMs,
    recoveredMs === undefined
      ? 'not'
      : `${Math.round(recoveredMs)} ms (last refusal ${Math.round(lastHurtMs)} ms in)`,
  );
  await restarted(stack, fault, targets, check);
  // Answers that were delivered in part are on record, too.
  const [whole, sent] = [outcomes.filter(isWell).length, outcomes.length];
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

/** Checks that what was killed runs and is healthy again, though nobody started it. */
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

/** Waits, because settlements that were queued during an outage may come a little later. */
async function recordedAtLeast(
  stack: Stack,
  account: Parameters<typeof requestsOnRecord>[1],
  least: number,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const recorded = await requestsOnRecord(stack, account);
    if (recorded >= least || attempt === 10) return recorded;
    await wait(1_000);
  }
}
