import { z } from 'zod';
import { auditEventResource, auditEventResourceSchema } from '../../audit/audit-event-resource.ts';
import { asHoldersSee, listAuditEvents, listHolderAuditEvents } from '../../audit/list-audit-events.ts';
import { notFound } from '../../errors/control-plane-error.ts';
import { listParameters, listResponse, pageWith } from '../list-response.ts';
import { listedAccount, requireOwn } from '../own-account.ts';
import { queryText, queryTime } from '../query-values.ts';
import { route } from '../route.ts';

const auditEvent = auditEventResourceSchema.meta({ id: 'AuditEvent' });
const common = { tag: 'Audit' } as const;

export const auditEventRoutes = [
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/audit_events',
    operationId: 'listAuditEvents',
    summary: 'List audit events',
    description: 'A key that is bound to an account sees addresses of users only.',
    scope: 'audit:read',
    query: z.object({
      ...listParameters,
      account_id: queryText.optional(),
      action: queryText.optional().describe('Such as `api_key.created`.'),
      actor: queryText.optional().describe('Id or e-mail address of who made the change.'),
      object_id: queryText.optional(),
      outcome: z.enum(['done', 'denied']).optional(),
      since: queryTime.optional(),
      until: queryTime.optional().describe('Exclusive.'),
    }),
    response: listResponse(auditEvent, 'AuditEventList'),
    async handle(context, { actor, query, signal }) {
      const {
        account_id,
        action,
        actor: by,
        cursor,
        limit,
        object_id: objectId,
        outcome,
        since,
        until,
      } = query;
      const accountId = listedAccount(actor, account_id);
      const period = { since: dateOf(since), until: dateOf(until) };
      const filter = { accountId, action, actor: by, objectId, outcome, ...period };
      const request = { filter, limit, cursor };
      const { events, nextCursor } =
        actor.accountId === undefined
          ? await listAuditEvents(context, request, signal)
          : await listHolderAuditEvents(context, actor.accountId, request, signal);
      return pageWith(events.map(auditEventResource), nextCursor);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/audit_events/:id',
    operationId: 'getAuditEvent',
    summary: 'Get an audit event',
    scope: 'audit:read',
    response: auditEvent,
    async handle({ auditListStore }, { actor, params, signal }) {
      const event = await auditListStore.find(params.id, signal);
      if (event === undefined) throw notFound(`there is no audit event ${params.id}`);
      requireOwn(actor, event.accountId ?? '', `audit event ${params.id}`);
      return auditEventResource(actor.accountId === undefined ? event : asHoldersSee(event));
    },
  }),
];

function dateOf(unixSeconds: number | undefined): Date | undefined {
  return unixSeconds === undefined ? undefined : new Date(unixSeconds * 1_000);
}
