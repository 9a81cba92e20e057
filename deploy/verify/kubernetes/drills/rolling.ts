import { judge, type Trial, underLoad } from '../trial.ts';

const SCALED_MS = 240_000;
const PART = ['--selector', 'app.kubernetes.io/part-of=model-gateway'];

/**
 * Restarts every Deployment while control planes scale out, so that all open connections to Postgres at once.
 * No request may fail or wait.
 */
export async function rolling(trial: Trial): Promise<void> {
  const { gateway } = trial.installation;
  await gateway.allowReplicas('data-plane', 2, 2);
  await gateway.untilReplicas('data-plane', 2, SCALED_MS);
  const startedAt = performance.now();
  const result = await underLoad(trial, 'rolling', async () => {
    await gateway.allowReplicas('control-plane', 4, 4);
    await gateway.kubectl('rollout', 'restart', 'deployment', ...PART);
    await trial.installation.rolledOut();
    await gateway.untilReplicas('control-plane', 4, SCALED_MS);
    await gateway.untilReplicas('data-plane', 2, SCALED_MS);
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  await judge(trial, 'every Deployment rolled while control planes go from 2 to 4', {
    ...result,
    note: `${seconds.toFixed(0)} s`,
  });
  await gateway.allowReplicas('control-plane', 2, 4);
}
