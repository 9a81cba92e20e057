import { setTimeout as wait } from 'node:timers/promises';
import { isWhole, isWholeOrUnavailable, type Outcome } from '../../load.ts';
import { judge, type Trial, underLoad } from '../trial.ts';

const BEFORE_MS = 5_000;
const CAUGHT_UP_MS = 180_000;
/** Commits wait until the standby has taken over. */
const SLOWEST_MS = 20_000;
const PAID = { workers: { stream: 16, paid: 10 } };

/** Deletes the primary of Postgres and promotes its standby; then the other way round. */
export async function standby(trial: Trial): Promise<void> {
  for (const [primary, other] of [
    ['postgres-0', 'postgres-1'],
    ['postgres-1', 'postgres-0'],
  ] as const) {
    await untilCaughtUp(trial, primary);
    await takeOver(trial, primary, other);
  }
}

async function takeOver(trial: Trial, primary: string, other: string): Promise<void> {
  const { gateway } = trial.installation;
  let promotedMs = 0;
  const promote = async () => {
    await wait(BEFORE_MS);
    const startedAt = performance.now();
    await gateway.tryKubectl('delete', 'pod', primary, '--force', '--grace-period=0');
    await gateway.kubectl('exec', other, '--', 'sh', '/etc/postgres-standby/promote.sh');
    promotedMs = performance.now() - startedAt;
    await untilCaughtUp(trial, other);
    await wait(BEFORE_MS);
  };
  const result = await underLoad(trial, `${other}-takes-over`, promote, PAID);
  await judge(trial, `${primary} is lost, ${other} promoted`, {
    ...result,
    allows: isWholeOrUnavailable,
    slowestMs: SLOWEST_MS,
    note: `promoted after ${seconds(promotedMs)} s, ${refusal(result.outcomes)}`,
  });
}

/** Describes how long requests were refused. */
function refusal(outcomes: readonly Outcome[]): string {
  const refused = outcomes.filter((outcome) => !isWhole(outcome));
  if (refused.length === 0) return 'none refused';
  const firstMs = Math.min(...refused.map(({ startedAtMs }) => startedAtMs));
  const lastMs = Math.max(...refused.map(({ endedAtMs }) => endedAtMs));
  return `${refused.length} refused within ${seconds(lastMs - firstMs)} s`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

/** Waits until every commit waits for the standby. */
async function untilCaughtUp({ installation }: Trial, primary: string): Promise<void> {
  const sql = "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')";
  const query = ['exec', primary, '--', 'psql', '-U', 'postgres', '-Atc', sql];
  const { gateway } = installation;
  await gateway.until(`a standby of ${primary}`, CAUGHT_UP_MS, async () => {
    const { code, out } = await gateway.tryKubectl(...query);
    return code === 0 && out.trim() === '1';
  });
}
