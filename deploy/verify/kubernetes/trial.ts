import { type Account, createAccount, requestsOnRecord } from '../account.ts';
import { isWhole, type Outcome, summary } from '../load.ts';
import type { Check, Skip } from '../report.ts';
import { ClusterLoad, type ClusterLoadOptions, latencies } from './cluster-load.ts';
import type { Installation } from './installation.ts';

export interface Trial {
  installation: Installation;
  check: Check;
  skip: Skip;
}

interface Judgement {
  outcomes: Outcome[];
  account: Account;
  /** Appended to the finding. */
  note?: string;
  /** Returns whether an outcome is allowed; default: complete responses only. */
  allows?: (outcome: Outcome) => boolean;
  /** Maximum duration of a request that is not streamed. */
  slowestMs?: number;
}

const SLOWEST_MS = 5_000;

/** Sends requests of a new account while `work` runs. */
export async function underLoad(
  { installation }: Trial,
  name: string,
  work: () => Promise<void>,
  { freePerMinute, ...options }: Omit<ClusterLoadOptions, 'key'> & { freePerMinute?: number } = {},
): Promise<{ outcomes: Outcome[]; account: Account }> {
  const account = await createAccount(installation, name, { unlimited: true, freePerMinute });
  const { clients, gateway } = installation;
  await using load = new ClusterLoad(clients, gateway, { key: account.key, ...options });
  await work();
  return { outcomes: await load.stop(), account };
}

/** Checks status and duration of each response, and that each is on record exactly once. */
export async function judge(
  { installation, check }: Trial,
  what: string,
  { outcomes, account, note, allows = isWhole, slowestMs = SLOWEST_MS }: Judgement,
): Promise<void> {
  const wrong = outcomes.filter((outcome) => !allows(outcome));
  const slow = outcomes.filter(
    ({ kind, startedAtMs, endedAtMs }) => kind !== 'stream' && endedAtMs - startedAtMs > slowestMs,
  );
  const seen = [summary(outcomes), latencies(outcomes), note].filter(Boolean).join('; ');
  check(what, outcomes.length > 0 && wrong.length === 0 && slow.length === 0, seen);

  const whole = outcomes.filter(isWhole).length;
  // Settlements that waited for a control plane arrive later.
  let recorded = 0;
  await installation.gateway
    .until('every answer on record', 20_000, async () => {
      recorded = await requestsOnRecord(installation, account);
      return recorded >= whole;
    })
    .catch(() => undefined);
  check(
    `${what}: nothing lost, nothing twice`,
    recorded >= whole && recorded <= outcomes.length,
    `${recorded} on record; ${whole} answered whole, ${outcomes.length} sent`,
  );
}
