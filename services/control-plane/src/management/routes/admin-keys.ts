import { adminKeyToken } from '@model-gateway/shared';
import { scope } from '@model-gateway/shared/access';
import { z } from 'zod';
import { adminKeyResource, adminKeyResourceSchema } from '../../admin-keys/admin-key-resource.ts';
import { createAdminKey } from '../../admin-keys/create-admin-key.ts';
import { requireAdminKey, revokeAdminKey } from '../../admin-keys/revoke-admin-key.ts';
import type { StoredAdminKey } from '../../admin-keys/stored-admin-key.ts';
import { optionalTimestamp, timestamp } from '../../timestamps.ts';
import {
  deleted,
  deletedResponse,
  listParameters,
  listQueryOf,
  listResponse,
  pageOf,
} from '../list-response.ts';
import { listedAccount } from '../own-account.ts';
import { route } from '../route.ts';
import { time } from '../times.ts';

const adminKey = adminKeyResourceSchema
  .extend({ last_used_at: timestamp.nullable().describe('Rounded down to a minute. Null: never.') })
  .meta({ id: 'AdminKey' });
const newAdminKey = adminKey
  .extend({ key: z.string().describe('The raw key. It is sent only once.') })
  .meta({ id: 'NewAdminKey' });

const common = { tag: 'Admin keys' } as const;

export const adminKeyRoutes = [
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/admin_keys',
    operationId: 'createAdminKey',
    summary: 'Create an admin key',
    description:
      'A key grants at most what the key of this request has: its scopes, account, networks and time. ' +
      'Networks and expiry that you leave out are those of the key of this request.',
    scope: 'accounts:write',
    body: z.object({
      name: z.string(),
      scopes: z.array(scope).min(1),
      account_id: z.string().optional().describe('The only account that it can see and change.'),
      networks: z.array(z.string()).nullish().describe('CIDRs of callers. Null: any.'),
      expires_at: time.nullish().describe('Null: never.'),
    }),
    response: newAdminKey,
    secret: 'key',
    async handle(context, { actor, respondWith, body }) {
      const rawKey = adminKeyToken.generate();
      respondWith((after) => ({ ...after, last_used_at: null, key: rawKey }));
      const { key } = await createAdminKey(context, actor, {
        name: body.name,
        scopes: body.scopes,
        account: body.account_id,
        networks: body.networks ?? [],
        expiresAtMs: body.expires_at?.getTime(),
        rawKey,
      });
      return { ...withUse(key), key: rawKey };
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/admin_keys',
    operationId: 'listAdminKeys',
    summary: 'List admin keys',
    scope: 'accounts:read',
    query: z.object({ ...listParameters, account_id: z.string().optional() }),
    response: listResponse(adminKey, 'AdminKeyList'),
    async handle({ adminKeyStore }, { actor, query }) {
      const page = listQueryOf(query);
      return pageOf(await adminKeyStore.list(listedAccount(actor, query.account_id), page), page, withUse);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/admin_keys/:id',
    operationId: 'getAdminKey',
    summary: 'Get an admin key',
    scope: 'accounts:read',
    response: adminKey,
    async handle(context, { actor, params, setEtagOf }) {
      const key = await requireAdminKey(context, actor, params.id);
      setEtagOf(adminKeyResource(key));
      return withUse(key);
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/admin/v1/admin_keys/:id',
    operationId: 'revokeAdminKey',
    summary: 'Revoke an admin key',
    description: 'Every control plane refuses its next request.',
    scope: 'accounts:write',
    response: deletedResponse('admin_key'),
    async handle(context, { actor, params }) {
      const { id } = await revokeAdminKey(context, actor, params.id);
      return deleted('admin_key', id);
    },
  }),
];

function withUse(key: StoredAdminKey): z.infer<typeof adminKey> {
  return { ...adminKeyResource(key), last_used_at: optionalTimestamp(key.lastUsedAt) };
}
