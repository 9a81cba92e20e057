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
 * Collects what the cluster warns of while something is done.
 * @returns a line for each warning of a pod of the gateway; those of autoscalers are left out, because the
 *   numbers of a pod that has just started come a minute after it
 */
export async function warningsOf(cluster: Cluster, work: () => Promise<void>): Promise<string[]> {
  await cluster.kubectl('delete', 'events', '--all');
  await work();
  const found = await cluster.kubectl(
    'get',
    'events',
    '--field-selector',
    'type=Warning',
    '--output',
    'json',
  );
  return events
    .parse(JSON.parse(found))
    .items.filter(({ involvedObject: { kind, name } }) => kind === 'Pod' && OURS.test(name))
    .map(({ involvedObject, reason, message }) => `${involvedObject.name} ${reason}: ${message}`);
}
