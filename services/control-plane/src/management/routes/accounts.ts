import { WEEK_DAYS } from '@model-gateway/shared/rules';
import { z } from 'zod';
import {
  type AccountResource,
  accountAsHoldersSee,
  accountResource,
  accountResourceSchema,
  seenAccountSchema,
} from '../../accounts/account-resource.ts';
import { createAccount } from '../../accounts/create-account.ts';
import { deleteAccount } from '../../accounts/delete-account.ts';
import { patchAccount } from '../../accounts/patch-account.ts';
import type { StoredAccount } from '../../accounts/stored-account.ts';
import { resumeAccount, suspendAccount } from '../../accounts/suspend-account.ts';
import type { ManagementActor } from '../../actors/actor.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { permissionDenied } from '../../errors/control-plane-error.ts';
import { requireKnownList } from '../../price-lists/require-known-list.ts';
import { externalId } from '../external-id.ts';
import {
  deleted,
  deletedResponse,
  externalIdParameter,
  listParameters,
  listQueryOf,
  listResponse,
  pageOf,
} from '../list-response.ts';
import { requireOwn } from '../own-account.ts';
import { queryBoolean, queryText } from '../query-values.ts';
import { type RouteRequest, route } from '../route.ts';

const account = seenAccountSchema.meta({ id: 'Account' });
const limit = z.int().min(1).nullable().optional();
const calendar = {
  timezone: z.string().optional().describe('IANA name, such as `Europe/Berlin`. Budgets follow it.'),
  week_starts: z.enum(WEEK_DAYS).optional(),
};
const priceListId = z
  .string()
  .nullable()
  .optional()
  .describe(
    'Price list by which its requests are charged. Null: the default one. Keys of an account cannot set it.',
  );
const common = { tag: 'Accounts', response: account, isResource: true } as const;
const suspension = {
  ...common,
  method: 'POST',
  scope: 'accounts:write',
  status: 200,
  body: z.object({}),
} as const;

export const accountRoutes = [
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/accounts',
    operationId: 'createAccount',
    summary: 'Create an account',
    description: 'You vouch for the address: whoever proves it at sign-in gets the account.',
    scope: 'accounts:write',
    isInstallationWide: true,
    body: z.object({
      email: z.string(),
      name: z.string().optional().describe('Absent: the part of the address before the @.'),
      external_id: externalId.optional(),
      ...calendar,
      price_list_id: priceListId,
    }),
    async handle(context, { actor, body }) {
      const { email, external_id, name = '', price_list_id, timezone, week_starts } = body;
      const proof = { emailVerified: true, poolNeedsProof: false };
      const made = { email, name, externalId: external_id, timezone, weekStarts: week_starts, ...proof };
      const list = await requireKnownList(context, price_list_id);
      return accountResource(await createAccount(context, actor, { ...made, ...list }));
    },
  }),
  route({
    tag: common.tag,
    method: 'GET',
    path: '/admin/v1/accounts',
    operationId: 'listAccounts',
    summary: 'List accounts that are not deleted',
    scope: 'accounts:read',
    query: z.object({
      ...listParameters,
      ...externalIdParameter,
      email: z.string().optional().describe('Lists only the account with this address.'),
      search: queryText.optional().describe('Lists accounts whose name or address begins with this text.'),
      suspended: queryBoolean.optional().describe('Lists only accounts that are suspended, or that are not.'),
    }),
    response: listResponse(account, 'AccountList'),
    async handle({ accountListStore }, { actor, query, signal }) {
      const page = listQueryOf(query);
      const filter = {
        id: actor.accountId,
        externalId: query.external_id,
        email: query.email?.toLowerCase(),
        search: query.search,
        isSuspended: query.suspended,
      };
      return pageOf(await accountListStore.newest(filter, page, signal), page, (each) =>
        seen(actor, accountResource(each)),
      );
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/accounts/:id',
    operationId: 'getAccount',
    summary: 'Get an account',
    scope: 'accounts:read',
    async handle(context, { actor, params, setEtagOf }) {
      requireOwn(actor, params.id, `account ${params.id}`);
      return accountResponse(actor, await context.accountStore.require(params.id), setEtagOf);
    },
  }),
  route({
    ...common,
    method: 'PATCH',
    path: '/admin/v1/accounts/:id',
    operationId: 'changeAccount',
    summary: 'Change an account',
    description:
      'Members that you leave out stay as they are. Null sets a limit to its default. Another price list is for ' +
      'new requests; a running one keeps its prices.',
    scope: 'accounts:write',
    body: z.object({
      name: z.string().optional(),
      external_id: externalId.nullable().optional(),
      ...calendar,
      threshold_mails: z
        .boolean()
        .optional()
        .describe('Mails to its owners when a pool or budget is used up to 80 or 100 %. Default: true.'),
      limits: z
        .strictObject({
          free_per_minute: limit,
          paid_per_minute: limit,
          reads_per_minute: limit,
          concurrent_streams: limit,
        })
        .optional(),
      price_list_id: priceListId,
    }),
    async handle(context, { actor, body, noteUnconfirmed, params, setEtagOf }) {
      const { external_id, limits, name, price_list_id, threshold_mails, timezone, week_starts } = body;
      requireOwn(actor, params.id, `account ${params.id}`);
      if (price_list_id !== undefined && actor.accountId !== undefined)
        throw permissionDenied('price_list_id needs an admin key that is not bound to an account');
      const { id } = await context.accountStore.require(params.id);
      const changed = await patchAccount(context, actor, {
        accountId: id,
        patch: {
          ...{ name, timezone, externalId: external_id, weekStarts: week_starts },
          thresholdMails: threshold_mails,
          priceListId: price_list_id,
          limits: limits && {
            freePerMinute: limits.free_per_minute,
            paidPerMinute: limits.paid_per_minute,
            readsPerMinute: limits.reads_per_minute,
            concurrentStreams: limits.concurrent_streams,
          },
        },
      });
      noteUnconfirmed(changed.unconfirmed);
      return accountResponse(actor, changed.account, setEtagOf);
    },
  }),
  route({
    ...suspension,
    path: '/admin/v1/accounts/:id/suspend',
    operationId: 'suspendAccount',
    summary: 'Suspend an account',
    description: "Stops its keys and those on its teams' seats, and ends its sessions.",
    handle: (context, request) => changeSuspension(context, request, suspendAccount),
  }),
  route({
    ...suspension,
    path: '/admin/v1/accounts/:id/resume',
    operationId: 'resumeAccount',
    summary: 'Resume an account',
    description: 'Restores the keys that stopped with it.',
    handle: (context, request) => changeSuspension(context, request, resumeAccount),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/accounts/:id/view',
    operationId: 'viewAccount',
    summary: 'Record that somebody looks at an account',
    description:
      'Writes the audit event `account.viewed`. Call it when you show the pages of an account as its holder sees ' +
      'them. Nothing changes.',
    scope: 'accounts:read',
    status: 200,
    body: z.object({}),
    async handle(context, { actor, params, setEtagOf }) {
      requireOwn(actor, params.id, `account ${params.id}`);
      const account = await context.accountStore.requireNotDeleted(params.id);
      await context.accountStore.view(actor, account);
      return accountResponse(actor, account, setEtagOf);
    },
  }),
  route({
    tag: common.tag,
    method: 'DELETE',
    path: '/admin/v1/accounts/:id',
    operationId: 'deleteAccount',
    summary: 'Delete an account',
    description: 'Revokes its keys, and removes its teams, seats and pools. Usage and ledger stay.',
    scope: 'accounts:write',
    response: deletedResponse('account'),
    async handle(context, { actor, noteUnconfirmed, params }) {
      requireOwn(actor, params.id, `account ${params.id}`);
      const { account: ended, unconfirmed } = await deleteAccount(context, actor, { account: params.id });
      noteUnconfirmed(unconfirmed);
      return deleted('account', ended.id);
    },
  }),
];

async function changeSuspension(
  context: ControlPlaneContext,
  {
    actor,
    respondWith,
    noteUnconfirmed,
    params,
    setEtagOf,
  }: Pick<
    RouteRequest<':id', object, object>,
    'actor' | 'respondWith' | 'noteUnconfirmed' | 'params' | 'setEtagOf'
  >,
  change: typeof suspendAccount | typeof resumeAccount,
): Promise<z.infer<typeof account>> {
  // The audit event names the stopped or restored keys, too.
  respondWith((after) => {
    const resource = accountResourceSchema.parse(after);
    setEtagOf(resource);
    return seen(actor, resource);
  });
  requireOwn(actor, params.id, `account ${params.id}`);
  const changed = await change(context, actor, { account: params.id });
  noteUnconfirmed(changed.unconfirmed);
  return accountResponse(actor, changed.account, setEtagOf);
}

/** Returns an account as the caller sees it, with the ETag of all of it. */
function accountResponse(
  actor: ManagementActor,
  stored: StoredAccount,
  setEtagOf: RouteRequest<'', object, object>['setEtagOf'],
): z.infer<typeof account> {
  const resource = accountResource(stored);
  setEtagOf(resource);
  return seen(actor, resource);
}

function seen(actor: ManagementActor, resource: AccountResource): z.infer<typeof account> {
  return actor.accountId === undefined ? resource : accountAsHoldersSee(resource);
}
