import type { ControlPlaneContext } from './context.ts';

/** Makes the partitions of usage records that are missing. When it fails, it is tried again the next time. */
export async function makePartitions({
  log,
  usagePartitionStore,
}: Pick<ControlPlaneContext, 'log' | 'usagePartitionStore'>): Promise<void> {
  try {
    await usagePartitionStore.makeMissing();
  } catch (error) {
    log.warn({ error }, 'cannot make partitions for the usage records of the next days');
  }
}
