import type { ClusterLoadOptions } from '../cluster-load.ts';
import { judge, type Trial, underLoad } from '../trial.ts';
import { warningsOf } from '../warnings.ts';

const MIN = 2;
const MAX = 4;
/** The autoscaler reads figures of up to 15 s ago every 15 s, and pods take time to start. */
const UP_MS = 240_000;
const DOWN_MS = 300_000;

/** Scales data planes out under load and in without it; no client may notice. */
export async function autoscaling(trial: Trial): Promise<void> {
  const { installation, check } = trial;
  await installation.gateway.allowReplicas('data-plane', MIN, MAX);
  const warnings = await warningsOf(installation.gateway, () =>
    scale(trial, `autoscaler: ${MIN} to ${MAX} data planes under load`, {
      account: 'busy',
      replicas: MAX,
      timeoutMs: UP_MS,
      load: { workers: { stream: 16, paid: 24, free: 24 }, pauseMs: 300 },
    }),
  );
  check(
    'autoscaler: pods start without warnings in the events',
    warnings.length === 0,
    warnings.join('; ') || 'none',
  );
  await scale(trial, `autoscaler: ${MAX} to ${MIN} when the load is gone`, {
    account: 'quiet',
    replicas: MIN,
    timeoutMs: DOWN_MS,
    load: { workers: { stream: 1, paid: 1, free: 1 }, pauseMs: 1_000 },
  });
}

interface Scaling {
  account: string;
  /** Number of data planes to wait for. */
  replicas: number;
  timeoutMs: number;
  load: Omit<ClusterLoadOptions, 'key'>;
}

async function scale(
  trial: Trial,
  what: string,
  { account, replicas, timeoutMs, load }: Scaling,
): Promise<void> {
  const startedAt = performance.now();
  const untilScaled = () => trial.installation.gateway.untilReplicas('data-plane', replicas, timeoutMs);
  const result = await underLoad(trial, account, untilScaled, load);
  const seconds = (performance.now() - startedAt) / 1_000;
  await judge(trial, what, { ...result, note: `${seconds.toFixed(0)} s` });
}
