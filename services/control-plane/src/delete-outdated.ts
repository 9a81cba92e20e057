import { pepperFingerprint } from '@model-gateway/shared';
import { renewContentsKeys } from './contents/renew-contents-keys.ts';
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

/** @returns false if something could not be deleted */
export async function deleteOutdated(context: ControlPlaneContext): Promise<boolean> {
  const {
    allowanceStore,
    auditRetentionStore,
    contentsStore,
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
  const { deliveryStore, mailDeliveryStore, processReportStore, providerReportStore } = context;
  const { reportedStateStore, usageRetentionStore, verificationStore } = context;
  const { waitingStore, watcherStore, webhookSecretStore } = context;
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
      contentsStore.prune(),
      probeStore.prune(),
      providerReportStore.prune(),
      credentialStore.prune(),
      deliveryStore.prune(),
      webhookSecretStore.prune(),
      waitingStore.prune(),
      reportedStateStore.prune(),
      mailDeliveryStore.prune(),
      processReportStore.prune(),
      verificationStore.prune(),
      retireOldPepper(context),
      renewSeals(context),
      renewContentsKeys(context),
    ]);
    return true;
  } catch (error) {
    log.warn({ error }, 'cannot prune what is no longer needed');
    return false;
  }
}
