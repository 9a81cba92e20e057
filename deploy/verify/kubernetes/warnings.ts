import { z } from 'zod';
import type { Cluster } from './cluster.ts';

const events = z.object({
  items: z.array(
    z.object({
      reason: z.string(),
      message: z.string().default(''),
      involvedObject: z.object({ kind: z.string(), name: z.string() }),
    }),
  ),
});

const OURS = /^(data-plane|control-plane|catalog|dashboard)-/;

/**
 * Returns a line for each warning of the cluster about a pod of the gateway while `work` runs. Autoscalers'
 * warnings are left out: figures of a new pod arrive a minute late.
 */
export async function warningsOf(cluster: Cluster, work: () => Promise<void>): Promise<string[]> {
  await cluster.kubectl('delete', 'events', '--all');
  await work();
  const warnings = ['--field-selector', 'type=Warning', '--output', 'json'];
  const found = await cluster.kubectl('get', 'events', ...warnings);
  return events
    .parse(JSON.parse(found))
    .items.filter(({ involvedObject: { kind, name } }) => kind === 'Pod' && OURS.test(name))
    .map(({ involvedObject, reason, message }) => `${involvedObject.name} ${reason}: ${message}`);
}
