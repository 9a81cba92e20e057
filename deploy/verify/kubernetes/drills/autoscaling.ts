import type { ClusterLoadOptions } from '../cluster-load.ts';
import { judge, type Trial, underLoad } from '../trial.ts';
import { warningsOf } from '../warnings.ts';

const LEAST = 2;
const MOST = 4;
/** The autoscaler looks every 15 s, at numbers that are up to 15 s old, and pods take their time to start. */
const UP_MS = 240_000;
const DOWN_MS = 300_000;

/** Data planes are added under load and taken away when it is gone, and no client notices. */
export async function autoscaling(trial: Trial): Promise<void> {
  const { installation, check } = trial;
  await installation.gateway.allowReplicas('data-plane', LEAST, MOST);
  const warnings = await warningsOf(installation.gateway, () =>
    scale(trial, `autoscaler: ${LEAST} to ${MOST} data planes under load`, {
      account: 'busy',
      replicas: MOST,
      timeoutMs: UP_MS,
      load: { workers: { stream: 16, paid: 24, free: 24 }, pauseMs: 300 },
    }),
  );
  check(
    'autoscaler: pods start without warnings in the events',
    warnings.length === 0,
    warnings.join('; ') || 'none',
  );
  await scale(trial, `autoscaler: ${MOST} to ${LEAST} when the load is gone`, {
    account: 'quiet',
    replicas: LEAST,
    timeoutMs: DOWN_MS,
    load: { workers: { stream: 1, paid: 1, free: 1 }, pauseMs: 1_000 },
  });
}

interface Scaling {
  account: string;
  /** How many data planes there shall be in the end. */
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
