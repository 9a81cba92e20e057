import type { AuditEventMessage } from '@model-gateway/contracts';
import { formatTable } from './format-table.ts';
import { isoTimestamp } from './timestamp.ts';

export type AuditEventJson = ReturnType<typeof auditEventJson>;

/** Audit event as the management API has it. */
export function auditEventJson(event: AuditEventMessage) {
  const { actor, object } = event;
  return {
    id: event.id,
    at: isoTimestamp(event.atMs),
    actor: {
      type: actor?.type ?? '',
      id: actor?.id ?? null,
      email: actor?.email ?? null,
      ip: actor?.ip ?? null,
    },
    way: event.way,
    action: event.action,
    object: { type: object?.type ?? '', id: object?.id ?? '', name: object?.name ?? '' },
    account_id: event.accountId ?? null,
    before: parsed(event.beforeJson),
    after: parsed(event.afterJson),
    request_id: event.requestId ?? null,
    outcome: event.outcome,
    chain: event.chain,
    position: Number(event.position),
    hash: event.hash,
  };
}

function parsed(json: string | undefined): unknown {
  return json === undefined ? null : JSON.parse(json);
}

export function auditTable(events: readonly AuditEventJson[]): string {
  return formatTable(
    ['TIME', 'ACTION', 'OBJECT', 'NAME', 'ACTOR', 'WAY', 'ACCOUNT', 'OUTCOME'],
    events.map(({ account_id, action, actor, at, object, outcome, way }) => [
      at,
      action,
      object.id || object.type,
      object.name || '-',
      actor.email ?? actor.id ?? actor.type,
      way,
      account_id ?? '-',
      outcome,
    ]),
  );
}
