import { omitAbsent } from '../omit-absent.ts';
import type { AuditEvent } from './audit-list-store.ts';

export function auditEventMessage(event: AuditEvent) {
  const { actor, after, before } = event;
  return {
    id: event.id,
    atMs: event.at.getTime(),
    actor: { type: actor.type, ...omitAbsent({ id: actor.id, email: actor.email, ip: actor.ip }) },
    way: event.way,
    action: event.action,
    object: { type: event.objectType, id: event.objectId, name: event.objectName },
    outcome: event.outcome,
    chain: event.chain,
    position: String(event.position),
    hash: event.hash,
    ...omitAbsent({
      accountId: event.accountId,
      beforeJson: before && JSON.stringify(before),
      afterJson: after && JSON.stringify(after),
      requestId: event.requestId,
    }),
  };
}
