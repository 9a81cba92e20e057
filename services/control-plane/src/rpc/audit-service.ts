import type { AuditServiceHandlers, ListAuditEventsRequestMessage } from '@model-gateway/contracts';
import { auditEventMessage } from '../audit/audit-event-message.ts';
import { auditFilter, optionalDate } from '../audit/audit-filter.ts';
import { type AuditPage, exportAuditLog, listAuditEvents } from '../audit/list-audit-events.ts';
import { verifyAuditLog } from '../audit/verify-audit-log.ts';
import type { BrokenEvent } from '../audit/verify-chain.ts';
import type { ControlPlaneContext } from '../context.ts';
import { omitAbsent } from '../omit-absent.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { read } from './unary.ts';

export function auditService(context: ControlPlaneContext): MethodsOf<AuditServiceHandlers> {
  return {
    ListAuditEvents: read(context, 'ListAuditEvents', listAllAuditEvents),
    VerifyAuditLog: read(context, 'VerifyAuditLog', async (_, request, signal) => {
      const heads = request.heads.map(({ chain, position, hash, atMs }) => ({
        ...{ chain, position: BigInt(position), hash, at: new Date(Number(atMs)) },
      }));
      const { events, comparedHeads, broken } = await verifyAuditLog(context, heads, signal);
      return {
        events: String(events),
        comparedHeads,
        ...omitAbsent({ broken: broken && brokenMessage(broken) }),
      };
    }),
    ExportAuditLog: read(context, 'ExportAuditLog', async (_, { sinceMs, pageToken }, signal) => {
      const request = { since: optionalDate(sinceMs), pageToken };
      const { events, nextPageToken } = await exportAuditLog(context, request, signal);
      return { events: events.map(auditEventMessage), ...omitAbsent({ nextPageToken }) };
    }),
  };
}

/** Lists events of all accounts, or of the one that the request names. */
async function listAllAuditEvents(
  context: ControlPlaneContext,
  { account, filter, ...request }: ListAuditEventsRequestMessage,
  signal: AbortSignal,
) {
  const accountId = account?.includes('@') ? (await context.accountStore.require(account)).id : account;
  const query = { ...request, filter: { ...auditFilter(filter), accountId } };
  return auditPageMessage(await listAuditEvents(context, query, signal));
}

function brokenMessage({ chain, position, id, problem }: BrokenEvent) {
  return { chain, position: String(position), problem, ...omitAbsent({ id }) };
}

export function auditPageMessage({ events, nextCursor }: AuditPage) {
  return { events: events.map(auditEventMessage), ...omitAbsent({ nextCursor }) };
}
