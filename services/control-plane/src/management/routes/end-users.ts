import { formatUsd, hasAtMost, MAX_END_USER } from '@model-gateway/shared';
import { z } from 'zod';
import type { ManagementActor } from '../../actors/actor.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { deleteEndUser } from '../../end-users/delete-end-user.ts';
import { endUserResource, endUserResourceSchema } from '../../end-users/end-user-resource.ts';
import { notFound } from '../../errors/control-plane-error.ts';
import {
  deleted,
  deletedResponse,
  externalIdParameter,
  listParameters,
  listResponse,
  pageWith,
} from '../list-response.ts';
import { accountForNew } from '../own-account.ts';
import { route } from '../route.ts';

const endUser = endUserResourceSchema.meta({ id: 'EndUser' });
const listed = endUser.extend({
  requests_this_month: z.int(),
  spent_this_month_usd: z
    .string()
    .describe('In this month (UTC). Requests of the last minute may be missing.'),
});

const common = { tag: 'End users' } as const;
const accountParameter = {
  account_id: z.string().optional().describe('Not needed for keys that are bound to an account.'),
};
const externalId = z.string().min(1).max(255).nullable().describe('Id in a system of yours. Null: none.');
const id = z
  .string()
  .min(1)
  .refine(
    (text) => hasAtMost(text, MAX_END_USER) && !text.includes('\0'),
    `must have 1 to ${MAX_END_USER} characters`,
  );

export const endUserRoutes = [
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/end_users',
    operationId: 'createEndUser',
    summary: 'Add an end user before its first request',
    description: 'Not needed for requests, nor for rules: it gives an end user an `external_id`.',
    scope: 'accounts:write',
    body: z.object({ ...accountParameter, id, external_id: externalId.optional() }),
    response: endUser,
    isResource: true,
    async handle(context, { actor, body }) {
      const accountId = await accountOf(context, actor, body.account_id);
      const key = { accountId, endUser: body.id };
      return endUserResource(await context.endUserStore.create(actor, key, body.external_id ?? null));
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/end_users',
    operationId: 'listEndUsers',
    summary: 'List end users',
    description:
      'Those with an `external_id`, with rules of their own, or with usage in this month, by their ids. Of each day, ' +
      'usage of at most 1,000 of them is kept apart.',
    scope: 'accounts:read',
    query: z.object({ ...listParameters, ...accountParameter, ...externalIdParameter }),
    response: listResponse(listed, 'EndUserList'),
    async handle(context, { actor, query, signal }) {
      const { cursor, limit } = query;
      const accountId = await accountOf(context, actor, query.account_id);
      const after = cursor && Buffer.from(cursor, 'base64url').toString();
      const filter = { accountId, externalId: query.external_id, after, limit };
      const found = await context.endUserListStore.list(filter, signal);
      const rows = found.slice(0, limit);
      const last = found.length > limit ? rows.at(-1) : undefined;
      const data = rows.map(({ chargedThisMonth, requestsThisMonth, ...row }) => ({
        ...endUserResource(row),
        requests_this_month: Number(requestsThisMonth),
        spent_this_month_usd: formatUsd(chargedThisMonth),
      }));
      return pageWith(data, last && Buffer.from(last.id).toString('base64url'));
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/end_users/:id',
    operationId: 'getEndUser',
    summary: 'Get an end user',
    description:
      'Its rules are at `/admin/v1/rules/end_user/{id}`, its usage at `/admin/v1/usage?end_users={id}`.',
    scope: 'accounts:read',
    query: z.object(accountParameter),
    response: endUser,
    isResource: true,
    async handle(context, { actor, params, query }) {
      const accountId = await accountOf(context, actor, query.account_id);
      const found = await context.endUserStore.find({ accountId, endUser: params.id });
      if (found === null) throw unknown();
      return endUserResource(found);
    },
  }),
  route({
    ...common,
    method: 'PATCH',
    path: '/admin/v1/end_users/:id',
    operationId: 'changeEndUser',
    summary: 'Change the external id of an end user',
    scope: 'accounts:write',
    query: z.object(accountParameter),
    body: z.object({ external_id: externalId }),
    response: endUser,
    isResource: true,
    async handle(context, { actor, body, params, query }) {
      const key = { accountId: await accountOf(context, actor, query.account_id), endUser: params.id };
      const changed = await context.endUserStore.setExternalId(actor, key, body.external_id);
      if (changed === null) throw unknown();
      return endUserResource(changed);
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/admin/v1/end_users/:id',
    operationId: 'deleteEndUser',
    summary: "Delete an end user's data",
    description:
      'Deletes its rules, what its budgets have counted, and its id on usage records and in sums, whose totals stay. ' +
      'A conflict (409) means that its requests still run. Requests that begin later are recorded with the id again.',
    scope: 'accounts:write',
    query: z.object(accountParameter),
    response: deletedResponse('end_user').extend({
      requests: z.int().describe('Usage records that named it. They stay, without its id.'),
    }),
    async handle(context, { actor, noteUnconfirmed, params, query }) {
      const key = { accountId: await accountOf(context, actor, query.account_id), endUser: params.id };
      const { requests, unconfirmed } = await deleteEndUser(context, actor, key);
      noteUnconfirmed(unconfirmed);
      return { ...deleted('end_user', params.id), requests: Number(requests) };
    },
  }),
];

const unknown = () => notFound('there is no such end user');

/** @throws ControlPlaneError not_found; ManagementError 400 (no account is named) */
async function accountOf(
  { accountStore }: Pick<ControlPlaneContext, 'accountStore'>,
  actor: ManagementActor,
  requested: string | undefined,
): Promise<string> {
  const { id: accountId } = await accountStore.require(accountForNew(actor, requested));
  return accountId;
}
