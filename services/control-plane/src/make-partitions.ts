import type { ControlPlaneContext } from './context.ts';

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
