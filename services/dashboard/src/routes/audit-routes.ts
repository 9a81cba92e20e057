import type { AuditEventMessage } from '@model-gateway/contracts';
import { z } from 'zod';
import { type AuditEvent, type AuditResponse, auditQuery } from '../../wire/audit.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type ApiRoute, type HolderExchange, holderRoute } from './api-route.ts';

const PAGE_LENGTH = 50;
const EXPORT_PAGE_LENGTH = 200;
const MAX_EXPORTED = 100_000;

const resource = z.record(z.string(), z.unknown()).catch({});

/** The audit log of the account. */
export function auditRoutes(): ApiRoute[] {
  return [
    holderRoute('admin', 'GET', '/api/audit-events', async (exchange) => {
      exchange.res.json(await readPage(exchange, PAGE_LENGTH));
    }),

    holderRoute('admin', 'GET', '/api/audit-events.ndjson', async (exchange) => {
      const { res } = exchange;
      let page = await readPage(exchange, EXPORT_PAGE_LENGTH);
      res.setHeader('content-type', 'application/x-ndjson; charset=utf-8');
      res.setHeader('content-disposition', 'attachment; filename="audit-events.ndjson"');
      for (let sent = 0; ; ) {
        for (const event of page.events) res.write(`${JSON.stringify(event)}\n`);
        sent += page.events.length;
        if (page.nextCursor === null || sent >= MAX_EXPORTED || res.destroyed) break;
        page = await readPage(exchange, EXPORT_PAGE_LENGTH, page.nextCursor);
      }
      res.end();
    }),
  ];
}

async function readPage(
  { accountId, reads, req }: HolderExchange,
  limit: number,
  next?: string,
): Promise<AuditResponse> {
  const { cursor: given, ...conditions } = parseRequest(auditQuery, req.query);
  const { action, actor, object, outcome, sinceMs, untilMs } = conditions;
  const cursor = next ?? given;
  const filter = {
    ...(action && { action }),
    ...(actor && { actor }),
    ...(object && { objectId: object }),
    ...(outcome && { outcome }),
    ...(sinceMs !== undefined && { sinceMs }),
    ...(untilMs !== undefined && { untilMs }),
  };
  const request = { accountId, filter, limit, ...(cursor !== undefined && { cursor }) };
  const { events, nextCursor } = await reads.listHolderAuditEvents(request);
  return { events: events.map(toEvent), nextCursor: nextCursor ?? null };
}

function toEvent(event: AuditEventMessage): AuditEvent {
  const { actor, object } = event;
  return {
    id: event.id,
    atMs: Number(event.atMs),
    actor: {
      type: actor?.type ?? 'system',
      id: actor?.id ?? null,
      email: actor?.email ?? null,
      ip: actor?.ip ?? null,
    },
    way: event.way,
    action: event.action,
    object: { type: object?.type ?? '', id: object?.id ?? '', name: object?.name ?? '' },
    accountId: event.accountId ?? null,
    before: event.beforeJson === undefined ? null : resource.parse(JSON.parse(event.beforeJson)),
    after: event.afterJson === undefined ? null : resource.parse(JSON.parse(event.afterJson)),
    outcome: event.outcome,
    requestId: event.requestId ?? null,
  };
}
