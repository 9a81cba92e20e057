import type { ControlPlaneContext } from './context.ts';

/** Deletes what is no longer needed. What fails is tried again the next time. */
export async function keepHouse(context: ControlPlaneContext): Promise<void> {
  const { allowanceStore, holderKeyStore, keyStore, log, probeStore, settlementStore } = context;
  const { invitationStore, signInStore, usageRetentionStore, watcherStore } = context;
  try {
    await Promise.all([
      keyStore.pruneEvents(),
      holderKeyStore.prune(),
      signInStore.pruneResets(),
      invitationStore.prune(),
      watcherStore.sweep(),
      settlementStore.prune(),
      allowanceStore.prune(),
      usageRetentionStore.prune(),
      probeStore.prune(),
    ]);
  } catch (error) {
    log.warn({ error }, 'cannot prune what is no longer needed');
  }
}
