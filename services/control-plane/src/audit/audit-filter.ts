import type { AuditFilterMessage } from '@model-gateway/contracts';
import type { AuditFilter } from './audit-list-store.ts';

export function auditFilter(message: AuditFilterMessage | null): AuditFilter {
  const { action, actor, objectId, outcome, sinceMs, untilMs } = message ?? {};
  const period = { since: optionalDate(sinceMs), until: optionalDate(untilMs) };
  return { action, actor, objectId, outcome, ...period };
}

export function optionalDate(unixMs: string | undefined): Date | undefined {
  return unixMs === undefined ? undefined : new Date(Number(unixMs));
}
