import type { Logger } from '@model-gateway/service-kit';
import type { AuditHeadsStore } from './audit-heads-store.ts';

/**
 * Logs the newest hash of each chain once a minute, so that `gatewayctl audit verify --heads` finds events
 * that were cut off together with the stored heads. Never throws.
 */
export async function logAuditHeads({
  auditHeadsStore,
  log,
}: {
  auditHeadsStore: Pick<AuditHeadsStore, 'takeHeadsToLog'>;
  log: Logger;
}): Promise<void> {
  try {
    const heads = await auditHeadsStore.takeHeadsToLog();
    if (heads.length > 0) log.info({ heads, logged_at: new Date().toISOString() }, 'audit chain heads');
  } catch (error) {
    log.warn({ error }, 'cannot log the heads of the audit log');
  }
}
