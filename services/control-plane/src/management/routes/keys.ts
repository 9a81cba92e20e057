import { generateApiKey } from '@model-gateway/shared';
import { keyCache, rules, tags } from '@model-gateway/shared/rules';
import { z } from 'zod';
import type { ManagementActor } from '../../actors/actor.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { notFound } from '../../errors/control-plane-error.ts';
import { createKey } from '../../keys/create-key.ts';
import { keyResourceSchema } from '../../keys/key-resource.ts';
import { revokeKey } from '../../keys/revoke-key.ts';
import { rotateKey } from '../../keys/rotate-key.ts';
import type { StoredKey } from '../../keys/stored-key.ts';
import { addRules, keyWithRulesSchema, rulesOwnerTextOf } from '../../owned-rules/key-with-rules.ts';
import { patchKey } from '../../owned-rules/patch-key.ts';
import { rulesResource, withBudgetIds } from '../../rules/rules-change.ts';
import { invalidField } from '../errors/request-errors.ts';
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
import { listedAccount, requireOwn } from '../own-account.ts';
import { route } from '../route.ts';
import { time } from '../times.ts';

const key = keyWithRulesSchema.meta({ id: 'Key' });
const newKey = key
  .extend({ key: z.string().describe('The raw key. It is sent only once.') })
  .meta({ id: 'NewKey' });
const cache = keyCache.describe(
  'Directives of `x-gateway-cache` for requests that send none, such as `read, write; ttl=3600`. Null: they do ' +
    'not use the cache.',
);
const common = { tag: 'Keys', response: key, isResource: true } as const;

export const keyRoutes = [
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/keys',
    operationId: 'createKey',
    summary: 'Create a key',
    description: 'Name an account, or a seat of a team: then the team pays.',
    scope: 'keys:write',
    body: z.object({
      account_id: z.string().optional(),
      seat_id: z.string().optional(),
      name: z.string(),
      external_id: externalId.optional(),
      rules: rules.optional(),
      tags: tags.optional(),
      cache: cache.nullish(),
      expires_at: time.nullish().describe('Null: never.'),
    }),
    response: newKey,
    secret: 'key',
    async handle(context, { actor, respondWith, body }) {
      const { expires_at, external_id, name, seat_id } = body;
      const account = await ownerOf(context, actor, body);
      const rawKey = generateApiKey();
      respondWith((after) => {
        const made = keyResourceSchema.parse(after);
        const owner = rulesOwnerTextOf({ id: made.id, firstKeyId: null });
        return { ...made, rules: rulesResource(body.rules && withBudgetIds(owner, body.rules)), key: rawKey };
      });
      const { key: made } = await createKey(context, actor, {
        account,
        name,
        seatId: seat_id,
        externalId: external_id,
        tags: body.tags,
        cache: body.cache ?? undefined,
        rawKey,
        ...(expires_at == null ? {} : { expiresAtMs: String(expires_at.getTime()) }),
        ...(body.rules === undefined ? {} : { rulesJson: JSON.stringify(body.rules) }),
      });
      return { ...(await withRules(context, made)), key: rawKey };
    },
  }),
  route({
    tag: common.tag,
    method: 'GET',
    path: '/admin/v1/keys',
    operationId: 'listKeys',
    summary: 'List keys',
    description: 'Revoked and expired keys are listed, too.',
    scope: 'keys:read',
    query: z.object({
      ...listParameters,
      ...externalIdParameter,
      account_id: z.string().optional(),
      seat_id: z.string().optional(),
    }),
    response: listResponse(key, 'KeyList'),
    async handle(context, { actor, query, signal }) {
      const page = listQueryOf(query);
      const accountId = listedAccount(actor, query.account_id);
      const filter = { accountId, seatId: query.seat_id, externalId: query.external_id };
      const rows = await context.keyListStore.page(filter, page, signal);
      const shown = await addRules(context, rows.slice(0, page.limit));
      const byId = new Map(shown.map((each) => [each.id, each]));
      const { data, ...rest } = pageOf(rows, page, ({ id }) => byId.get(id));
      return { ...rest, data: data.flatMap((each) => each ?? []) };
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/keys/:id',
    operationId: 'getKey',
    summary: 'Get a key',
    scope: 'keys:read',
    async handle(context, { actor, params }) {
      return await withRules(context, await requireVisibleKey(context, actor, params.id));
    },
  }),
  route({
    ...common,
    method: 'PATCH',
    path: '/admin/v1/keys/:id',
    operationId: 'changeKey',
    summary: 'Change a key',
    description:
      'Members that you leave out stay as they are; `rules` and `tags` are replaced as a whole. ' +
      '`disabled: true` stops the key until `disabled: false`.',
    scope: 'keys:write',
    body: z.object({
      name: z.string().optional(),
      external_id: externalId.nullable().optional(),
      rules: rules.optional(),
      tags: tags.optional(),
      cache: cache.nullable().optional(),
      expires_at: time.nullable().optional().describe('Null: never.'),
      disabled: z.boolean().optional(),
    }),
    async handle(context, { actor, body, noteUnconfirmed, params }) {
      const { id: keyId } = await requireVisibleKey(context, actor, params.id);
      const { expires_at, external_id, ...same } = body;
      const patch = {
        ...definedOnly(same),
        ...(expires_at === undefined ? {} : { expiresAt: expires_at }),
        ...(external_id === undefined ? {} : { externalId: external_id }),
      };
      const { key: changed, unconfirmed } = await patchKey(context, actor, { keyId, patch });
      noteUnconfirmed(unconfirmed);
      return changed;
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/keys/:id/rotate',
    operationId: 'rotateKey',
    summary: 'Replace a key',
    description:
      'Makes a key with the same account, seat, name, expiry, tags, cache, rules and budgets. The old one ends ' +
      'after the overlap.',
    scope: 'keys:write',
    body: z.object({ overlap_seconds: z.int().min(0).default(0) }),
    response: newKey,
    secret: 'key',
    async handle(context, { actor, respondWith, body, noteUnconfirmed, params }) {
      const old = await requireVisibleKey(context, actor, params.id);
      const { rules: stored } = await withRules(context, old);
      const rawKey = generateApiKey();
      respondWith((_, made = {}) => ({ ...made, rules: stored, key: rawKey }));
      const overlapMs = body.overlap_seconds * 1_000;
      const rotated = await rotateKey(context, actor, { keyId: old.id, overlapMs, rawKey });
      noteUnconfirmed(rotated.unconfirmed);
      return { ...(await withRules(context, rotated.key)), key: rawKey };
    },
  }),
  route({
    tag: common.tag,
    method: 'DELETE',
    path: '/admin/v1/keys/:id',
    operationId: 'revokeKey',
    summary: 'Revoke a key',
    description: 'Responds when no data plane accepts it any more.',
    scope: 'keys:write',
    response: deletedResponse('key'),
    async handle(context, { actor, noteUnconfirmed, params }) {
      const { id } = await requireVisibleKey(context, actor, params.id);
      const { unconfirmed } = await revokeKey(context, actor, { keyId: id });
      noteUnconfirmed(unconfirmed);
      return deleted('key', id);
    },
  }),
];

/** Returns the account for a new key. @throws ManagementError 400, ControlPlaneError not_found */
async function ownerOf(
  { seatStore }: ControlPlaneContext,
  actor: ManagementActor,
  { account_id, seat_id }: { account_id?: string | undefined; seat_id?: string | undefined },
): Promise<string> {
  if (seat_id === undefined) {
    const accountId = account_id ?? actor.accountId;
    if (accountId === undefined) throw invalidField('account_id', 'is required, or seat_id');
    requireOwn(actor, accountId, `account ${accountId}`);
    return accountId;
  }
  const seat = await seatStore.find(seat_id);
  if (seat === null) throw notFound(`there is no seat ${seat_id}`);
  requireOwn(actor, seat.accountId, `seat ${seat_id}`);
  if (account_id !== undefined && account_id !== seat.accountId)
    throw invalidField('account_id', `is not the account of the seat ${seat_id}`);
  return seat.accountId;
}

/** Finds a key that the admin key may see. @throws ControlPlaneError not_found */
async function requireVisibleKey(
  { keyStore }: ControlPlaneContext,
  actor: ManagementActor,
  id: string,
): Promise<StoredKey> {
  const found = await keyStore.find(id);
  if (found === null || found.kind === 'playground') throw notFound(`there is no key ${id}`);
  requireOwn(actor, found.accountId, `key ${id}`);
  return found;
}

async function withRules(context: ControlPlaneContext, stored: StoredKey): Promise<z.infer<typeof key>> {
  const [shown] = await addRules(context, [stored]);
  if (shown === undefined) throw notFound(`there is no key ${stored.id}`);
  return shown;
}

type Defined<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

function definedOnly<Members extends object>(members: Members): Defined<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Defined<Members>;
}
