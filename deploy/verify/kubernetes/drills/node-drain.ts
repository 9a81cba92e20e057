import { judge, type Trial, underLoad } from '../trial.ts';

const DRAIN_TIMEOUT = '5m';
const READY_MS = 300_000;

/** Drains a node under load, if another node can take its pods. */
export async function nodeDrain(trial: Trial): Promise<void> {
  const { gateway } = trial.installation;
  const what = 'a node is drained';
  const nodes = await gateway.nodes();
  // Not the client's node: nothing would start its pod elsewhere.
  const client = await trial.installation.clients.kubectl(
    ...['get', 'pod', 'client', '--output', 'jsonpath={.spec.nodeName}'],
  );
  const node = nodes.find((name) => name !== client.trim());
  if (node === undefined) return trial.skip(what, 'the cluster has one node');
  const replicas = (await gateway.pods('data-plane')).length;
  try {
    const result = await underLoad(trial, 'drained', async () => {
      const pods = ['--pod-selector', 'app.kubernetes.io/part-of=model-gateway'];
      await gateway.kubectl('drain', node, '--ignore-daemonsets', ...pods, '--timeout', DRAIN_TIMEOUT);
      await gateway.untilReplicas('data-plane', replicas, READY_MS);
    });
    await judge(trial, what, result);
  } finally {
    await gateway.kubectl('uncordon', node);
  }
}
