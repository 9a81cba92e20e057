import { pepperFingerprint } from '@model-gateway/shared';
import type { ControlPlaneContext } from './context.ts';
import { renewSeals } from './credentials/renew-seals.ts';

/**
 * Counts keys still hashed with the previous pepper; deletes those hashes once no previous pepper is
 * configured.
 */
async function retireOldPepper(context: ControlPlaneContext): Promise<void> {
  const { metrics, oldPepper, oldPepperStore, pepper } = context;
  const fingerprint = pepperFingerprint(pepper);
  if (oldPepper === undefined) await oldPepperStore.forgetPreviousHashes(fingerprint);
  else metrics.oldPepperKeys.set(await oldPepperStore.count(fingerprint));
}

export async function deleteOutdated(context: ControlPlaneContext): Promise<void> {
  const {
    allowanceStore,
    auditRetentionStore,
    credentialStore,
    holderKeyStore,
    keyEventListStore,
    log,
    probeStore,
  } = context;
  const {
    followedResponseStore,
    idempotencyStore,
    invitationStore,
    memberStore,
    refusalStore,
    settlementStore,
    signInStore,
  } = context;
  const { deliveryStore, mailDeliveryStore, providerReportStore, webhookSecretStore } = context;
  const { reportedStateStore, usageRetentionStore, waitingStore, watcherStore } = context;
  try {
    await Promise.all([
      keyEventListStore.prune(),
      holderKeyStore.prune(),
      signInStore.prune(),
      invitationStore.prune(),
      idempotencyStore.prune(),
      memberStore.prune(),
      watcherStore.prune(),
      settlementStore.prune(),
      refusalStore.prune(),
      allowanceStore.prune(),
      followedResponseStore.prune(),
      usageRetentionStore.prune(),
      auditRetentionStore.prune(),
      probeStore.prune(),
      providerReportStore.prune(),
      credentialStore.prune(),
      deliveryStore.prune(),
      webhookSecretStore.prune(),
      waitingStore.prune(),
      reportedStateStore.prune(),
      mailDeliveryStore.prune(),
      retireOldPepper(context),
      renewSeals(context),
    ]);
  } catch (error) {
    log.warn({ error }, 'cannot prune what is no longer needed');
  }
}
