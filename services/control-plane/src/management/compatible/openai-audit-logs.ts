import { MAX_UNIX_SECONDS } from '@model-gateway/shared';
import type { AuditAction, SignInAction } from '@model-gateway/shared/audit-actions';
import { z } from 'zod';
import type { AuditEvent, AuditFilter } from '../../audit/audit-list-store.ts';
import { queryList, queryText } from '../query-values.ts';

/** Published types of OpenAI's audit log, by the gateway's actions. A project is an account. */
const TYPES = {
  'account.claimed': 'project.updated',
  'account.created': 'project.created',
  'account.deleted': 'project.deleted',
  'account.purged': 'project.deleted',
  'account.resumed': 'project.updated',
  'account.suspended': 'project.archived',
  'account.updated': 'project.updated',
  'account.viewed': 'project.updated',
  'admin_key.created': 'api_key.created',
  'admin_key.revoked': 'api_key.deleted',
  'api_key.created': 'api_key.created',
  'api_key.revoked': 'api_key.deleted',
  'api_key.rotated': 'api_key.updated',
  'api_key.updated': 'api_key.updated',
  'backup_codes.renewed': 'user.updated',
  'catalog.added': 'organization.updated',
  'catalog.applied': 'organization.updated',
  'catalog.removed': 'organization.updated',
  'credential.removed': 'external_key.removed',
  'credential.set': 'external_key.registered',
  'contents.turned_off': 'project.updated',
  'contents.turned_on': 'project.updated',
  'contents.viewed': 'project.updated',
  'data_plane.drained': 'organization.updated',
  'data_plane.undrained': 'organization.updated',
  'end_user.created': 'project.updated',
  'end_user.deleted': 'resource.deleted',
  'end_user.updated': 'project.updated',
  'invite.accepted': 'invite.accepted',
  'invite.deleted': 'invite.deleted',
  'invite.sent': 'invite.sent',
  'limits.changed': 'rate_limit.updated',
  'login.failed': 'login.failed',
  'login.succeeded': 'login.succeeded',
  'logout.succeeded': 'logout.succeeded',
  'member.added': 'user.added',
  'member.invited': 'invite.sent',
  'member.joined': 'invite.accepted',
  'member.removed': 'user.deleted',
  'member.role_changed': 'user.updated',
  'money.moved': 'project.updated',
  'passkey.added': 'user.updated',
  'passkey.removed': 'user.updated',
  'password.changed': 'user.updated',
  'password.reset': 'user.updated',
  'password_reset.issued': 'user.updated',
  'password_reset.redeemed': 'user.updated',
  'pool.changed': 'project.updated',
  'pool.created': 'project.updated',
  'pool.removed': 'project.updated',
  'price_list.changed': 'organization.updated',
  'price_list.created': 'organization.updated',
  'price_list.deleted': 'organization.updated',
  'role.granted': 'role.assignment.created',
  'role.revoked': 'role.assignment.deleted',
  'rules.changed': 'rate_limit.updated',
  'scim.group_changed': 'group.updated',
  'scim.group_created': 'group.created',
  'scim.group_deleted': 'group.deleted',
  'scim.user_created': 'user.added',
  'scim.user_deactivated': 'user.updated',
  'scim.user_deleted': 'user.deleted',
  'scim.user_reactivated': 'user.updated',
  'scim.user_updated': 'user.updated',
  'scim_token.created': 'scim.enabled',
  'scim_token.revoked': 'scim.disabled',
  'seat.created': 'group.updated',
  'seat.moved': 'group.updated',
  'seat.removed': 'group.updated',
  'seat.updated': 'group.updated',
  'session.ended': 'logout.succeeded',
  'team.created': 'group.created',
  'team.deleted': 'group.deleted',
  'team.updated': 'group.updated',
  'totp.added': 'user.updated',
  'totp.removed': 'user.updated',
  'webhook.changed': 'project.updated',
  'webhook.created': 'project.updated',
  'webhook.redelivered': 'project.updated',
  'webhook.removed': 'project.updated',
  'webhook.secret_rotated': 'project.updated',
  'webhook.tested': 'project.updated',
} as const satisfies Record<AuditAction | SignInAction, string>;
const TYPE_OF_ACTION = new Map<string, string>(Object.entries(TYPES));

const seconds = z.coerce.number().int().min(0).max(MAX_UNIX_SECONDS).optional();
export const auditLogParameters = z.object({
  effective_at: z
    .strictObject({ gt: seconds, gte: seconds, lt: seconds, lte: seconds })
    .optional()
    .describe('Unix seconds, such as `effective_at[gte]=1795000000`.'),
  project_ids: queryList(queryText).describe('Ids of accounts.'),
  event_types: queryList(queryText),
  actor_ids: queryList(queryText),
  actor_emails: queryList(queryText),
  resource_ids: queryList(queryText).describe('Ids of the objects that changed.'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  after: queryText.optional().describe('Id of the last event of the page before.'),
  before: queryText.optional().describe('Id of the first event of the page after.'),
});
type Parameters = z.output<typeof auditLogParameters>;

/** Lists changes and sign-ins; attempts that were refused are in the gateway's own audit log. */
export function auditLogFilter(query: Parameters, accountId: string | undefined): AuditFilter {
  const { gt, gte, lt, lte } = query.effective_at ?? {};
  const types = query.event_types;
  const since = Math.max(gte ?? 0, (gt ?? -1) + 1);
  const until = Math.min(lt ?? Number.POSITIVE_INFINITY, (lte ?? Number.POSITIVE_INFINITY) + 1);
  return {
    accountId,
    accountIds: query.project_ids,
    actions: [...TYPE_OF_ACTION]
      .filter(([, type]) => types === undefined || types.includes(type))
      .map(([action]) => action),
    actorIds: query.actor_ids,
    actorEmails: query.actor_emails?.map((email) => email.toLowerCase()),
    objectIds: query.resource_ids,
    since: new Date(since * 1_000),
    until: until === Number.POSITIVE_INFINITY ? undefined : new Date(until * 1_000),
    isDone: true,
  };
}

/** Returns a page. @param events newest first */
export function auditLogPage(events: readonly AuditEvent[], hasMore: boolean) {
  return {
    object: 'list' as const,
    data: events.map(auditLog),
    first_id: events[0]?.id ?? null,
    last_id: events.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

function auditLog(event: AuditEvent) {
  const type = TYPE_OF_ACTION.get(event.action) ?? event.action;
  return {
    id: event.id,
    type,
    effective_at: Math.floor(event.at.getTime() / 1_000),
    ...(event.accountId !== null && { project: { id: event.accountId } }),
    actor: actorOf(event),
    [type]: detailsOf(type, event),
    // Not OpenAI's: it has no type for everything.
    gateway: {
      action: event.action,
      object: { type: event.objectType, id: event.objectId, name: event.objectName },
      request_id: event.requestId,
    },
  };
}

function actorOf({ actor: { email, id, ip, type } }: AuditEvent) {
  if (type === 'system') return null;
  if (type === 'user') {
    const user = { ...(id !== null && { id }), ...(email !== null && { email }) };
    return { type: 'session' as const, session: { user, ...(ip !== null && { ip_address: ip }) } };
  }
  const key = { type: 'service_account' as const, service_account: { id: id ?? type } };
  return { type: 'api_key' as const, api_key: { id: id ?? type, ...key } };
}

function detailsOf(type: string, { after, before, objectId }: AuditEvent): Record<string, unknown> {
  if (type.startsWith('log')) return {};
  if (type.endsWith('.created') || type.endsWith('.sent')) return { id: objectId, data: after ?? {} };
  if (type.endsWith('.updated')) return { id: objectId, changes_requested: changesOf(before, after) };
  return { id: objectId };
}

/** Returns the new values of changed members. */
function changesOf(before: AuditEvent['before'], after: AuditEvent['after']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after ?? {}).filter(
      ([name, value]) => JSON.stringify(before?.[name]) !== JSON.stringify(value),
    ),
  );
}
