import { judge, type Trial, underLoad } from '../trial.ts';

const LEAST = 2;
const MOST = 4;
/** The autoscaler looks every 15 s, at numbers that are up to 15 s old, and pods take their time to start. */
const UP_MS = 240_000;
const DOWN_MS = 300_000;

/** Data planes are added under load and taken away when it is gone; no client notices. */
export async function autoscaling(trial: Trial): Promise<void> {
  const { gateway } = trial.installation;
  await gateway.allowReplicas('data-plane', LEAST, MOST);
  const startedAt = performance.now();
  const busy = await underLoad(trial, 'busy', () => gateway.untilReplicas('data-plane', MOST, UP_MS), {
    workers: { stream: 16, paid: 24, free: 24 },
    pauseMs: 300,
  });
  const upSeconds = (performance.now() - startedAt) / 1_000;
  await judge(trial, `autoscaler: ${LEAST} to ${MOST} data planes under load`, {
    ...busy,
    note: `${upSeconds.toFixed(0)} s`,
  });

  const quietAt = performance.now();
  const quiet = await underLoad(trial, 'quiet', () => gateway.untilReplicas('data-plane', LEAST, DOWN_MS), {
    workers: { stream: 1, paid: 1, free: 1 },
    pauseMs: 1_000,
  });
  const downSeconds = (performance.now() - quietAt) / 1_000;
  await judge(trial, `autoscaler: ${MOST} to ${LEAST} when the load is gone`, {
    ...quiet,
    note: `${downSeconds.toFixed(0)} s`,
  });
}
