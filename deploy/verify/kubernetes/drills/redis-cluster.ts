import { setTimeout as wait } from 'node:timers/promises';
import { isWhole, type Outcome } from '../../load.ts';
import type { Images } from '../images.ts';
import { killProcess } from '../kill-process.ts';
import { judge, type Trial, underLoad } from '../trial.ts';

const NODES = 6;
const BEFORE_MS = 5_000;
const WHOLE_MS = 180_000;
const MINUTE_MS = 60_000;
const FREE_PER_MINUTE = 60;
const WORKERS = { free: 8, paid: 4, stream: 4 };

/** The keys are always at their limit. */
const isWholeOrLimited = (outcome: Outcome) =>
  isWhole(outcome) || (outcome.status === 429 && outcome.code === 'rate_limit_exceeded');

/** A Redis Cluster loses masters, and all of its nodes are replaced, under load. */
export async function redisCluster(trial: Trial, images: Images): Promise<void> {
  const { gateway } = trial.installation;
  await limited(trial, 'a pod of a master of Redis is deleted by force', async () => {
    await gateway.tryKubectl('delete', 'pod', await aMaster(trial), '--force', '--grace-period=0');
  });
  let refused: string | undefined;
  const killed = 'a process of a master of Redis is killed';
  await limited(trial, killed, async () => {
    refused = await killProcess(gateway, await aMaster(trial), images, 'redis-server');
  });
  if (refused !== undefined) trial.skip(killed, refused);
  await limited(trial, 'every node of Redis is replaced', async () => {
    await gateway.kubectl('rollout', 'restart', 'statefulset/redis-cluster');
  });
}

async function limited(trial: Trial, what: string, work: () => Promise<void>): Promise<void> {
  const { gateway } = trial.installation;
  const name = what.replaceAll(' ', '-').toLowerCase();
  const startedAt = performance.now();
  const { outcomes, account } = await underLoad(
    trial,
    name,
    async () => {
      await wait(BEFORE_MS);
      await work();
      await gateway.kubectl('rollout', 'status', 'statefulset/redis-cluster', '--timeout', '5m');
      await gateway.until('a cluster of six nodes', WHOLE_MS, () => isWholeCluster(trial));
      await wait(BEFORE_MS);
    },
    { workers: WORKERS, freePerMinute: FREE_PER_MINUTE },
  );
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  const max = maxInAMinute(outcomes);
  const note = `${seconds} s; at most ${max} of ${FREE_PER_MINUTE} a minute`;
  await judge(trial, what, { outcomes, account, note, allows: isWholeOrLimited });
  trial.check(
    `${what}: no limit exceeded beyond what is documented`,
    max <= 2 * FREE_PER_MINUTE + WORKERS.free,
    note,
  );
}

async function aMaster(trial: Trial): Promise<string> {
  for (let node = 0; node < NODES; node++) {
    const info = await redisCli(trial, `redis-cluster-${node}`, 'info', 'replication');
    if (info.includes('role:master')) return `redis-cluster-${node}`;
  }
  throw new Error('no node of Redis is a master');
}

async function isWholeCluster(trial: Trial): Promise<boolean> {
  const nodes = await redisCli(trial, 'redis-cluster-0', 'cluster', 'nodes').catch(() => '');
  const lines = nodes.split('\n').filter((line) => line !== '');
  return (
    lines.length === NODES && lines.every((line) => !line.includes('fail') && line.includes(' connected'))
  );
}

function redisCli({ installation }: Trial, pod: string, ...command: string[]): Promise<string> {
  return installation.gateway.kubectl('exec', pod, '--', 'redis-cli', ...command);
}

/** Returns the maximum number of free requests served within a minute. */
function maxInAMinute(outcomes: readonly Outcome[]): number {
  const served = outcomes.filter((outcome) => outcome.kind === 'free' && isWhole(outcome));
  const within = (fromMs: number) =>
    served.filter(({ startedAtMs, endedAtMs }) => startedAtMs >= fromMs && endedAtMs <= fromMs + MINUTE_MS);
  return Math.max(0, ...served.map(({ startedAtMs }) => within(startedAtMs).length));
}
