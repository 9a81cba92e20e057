import { generateApiKey } from '@model-gateway/shared';
import { z } from 'zod';
import { createKey } from '../../keys/create-key.ts';
import { keyResourceSchema } from '../../keys/key-resource.ts';
import { revokeKey } from '../../keys/revoke-key.ts';
import { patchKey } from '../../owned-rules/patch-key.ts';
import { callerIdOf } from '../caller-id.ts';
import { accountForNew, listedAccount } from '../own-account.ts';
import { queryBoolean, queryText } from '../query-values.ts';
import { route } from '../route.ts';
import { openRouterError } from './openrouter-errors.ts';
import {
  dollars,
  NO_USAGE,
  newKeyResponse,
  newOpenRouterKey,
  openRouterKey,
  openRouterKeyPatch,
  usageFields,
  usageResponse,
  withLimit,
} from './openrouter-key.ts';
import { findKey, keyResponses } from './openrouter-keys.ts';
import { usageOf } from './openrouter-usage.ts';

const common = { tag: "OpenRouter's API", errors: openRouterError, ifMatch: 'none' } as const;
const one = z.object({ data: openRouterKey });

export const openRouterRoutes = [
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/keys',
    operationId: 'openRouterListKeys',
    summary: 'List keys, as OpenRouter does',
    description: 'At most 100, newest first. Revoked keys are left out.',
    scope: 'keys:read',
    query: z.object({
      offset: z.coerce.number().int().min(0).default(0),
      include_disabled: queryBoolean.default(false),
      workspace_id: queryText.optional().describe('Id of an account.'),
    }),
    response: z.object({ data: z.array(openRouterKey) }),
    async handle(context, { actor, query, signal }) {
      const { include_disabled: includeDisabled, offset, workspace_id } = query;
      const filter = { accountId: listedAccount(actor, workspace_id), includeDisabled, offset };
      const keys = await context.openRouterKeyStore.list(filter, signal);
      return { data: await keyResponses(context, keys, signal) };
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/api/v1/keys',
    operationId: 'openRouterCreateKey',
    summary: 'Create a key, as OpenRouter does',
    description: 'In the account of the admin key, or in the one that `workspace_id` names.',
    scope: 'keys:write',
    body: newOpenRouterKey,
    response: one.extend({ key: z.string().describe('The raw key. It is sent only once.') }),
    async handle(context, { actor, respondWith, body, signal }) {
      const rawKey = generateApiKey();
      respondWith((after) => ({ data: newKeyResponse(keyResourceSchema.parse(after), body), key: rawKey }));
      const { key } = await createKey(context, actor, {
        account: accountForNew(actor, body.workspace_id),
        name: body.name,
        externalId: body.external?.user,
        rawKey,
        ...(body.expires_at != null && { expiresAtMs: String(Date.parse(body.expires_at)) }),
        ...(body.limit != null && { rulesJson: JSON.stringify(withLimit(undefined, body)) }),
      });
      return { data: await findKey(context, actor, key.id, signal), key: rawKey };
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/keys/:hash',
    operationId: 'openRouterGetKey',
    summary: 'Get a key, as OpenRouter does',
    scope: 'keys:read',
    response: one,
    async handle(context, { actor, params, signal }) {
      return { data: await findKey(context, actor, params.hash, signal) };
    },
  }),
  route({
    ...common,
    method: 'PATCH',
    path: '/api/v1/keys/:hash',
    operationId: 'openRouterUpdateKey',
    summary: 'Change a key, as OpenRouter does',
    description: '`disabled: true` stops the key until `disabled: false`.',
    scope: 'keys:write',
    body: openRouterKeyPatch,
    response: one,
    async handle(context, { actor, body, noteUnconfirmed, params, signal }) {
      const { disabled, limit, limit_reset, name } = body;
      await findKey(context, actor, params.hash, signal);
      const patch = {
        ...(name !== undefined && { name }),
        ...(disabled !== undefined && { disabled }),
        ...((limit !== undefined || limit_reset !== undefined) && {
          rules: (current: Parameters<typeof withLimit>[0]) => withLimit(current, body),
        }),
      };
      const { unconfirmed } = await patchKey(context, actor, { keyId: params.hash, patch });
      noteUnconfirmed(unconfirmed);
      return { data: await findKey(context, actor, params.hash, signal) };
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/api/v1/keys/:hash',
    operationId: 'openRouterDeleteKey',
    summary: 'Revoke a key for good, as OpenRouter does',
    scope: 'keys:write',
    response: z.object({ deleted: z.literal(true) }),
    async handle(context, { actor, noteUnconfirmed, params, signal }) {
      await findKey(context, actor, params.hash, signal);
      const { unconfirmed } = await revokeKey(context, actor, { keyId: params.hash });
      noteUnconfirmed(unconfirmed);
      return { deleted: true as const };
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/key',
    operationId: 'openRouterCurrentKey',
    summary: 'Describe the admin key of this request, as OpenRouter does',
    description: 'It cannot call models, so it has no usage.',
    scope: undefined,
    response: z.object({
      data: z.object({
        label: z.string(),
        limit: z.null(),
        limit_remaining: z.null(),
        limit_reset: z.null(),
        ...usageFields,
        include_byok_in_limit: z.literal(false),
        is_free_tier: z.literal(false),
        is_management_key: z.literal(true),
        is_provisioning_key: z.literal(true),
        rate_limit: z.object({ requests: z.literal(-1), interval: z.string(), note: z.string() }),
        free_model_daily_requests: z.object({
          limit: z.literal(0),
          remaining: z.literal(0),
          used: z.literal(0),
        }),
        allowed_data_regions: z.array(z.string()),
        expires_at: z.string().nullable(),
        creator_user_id: z.null(),
        organization_id: z.null(),
        workspace_id: z.string().nullable(),
      }),
    }),
    async handle({ adminKeyStore }, { actor }) {
      const key = await adminKeyStore.find(callerIdOf(actor));
      return {
        data: {
          label: `${key?.displayPrefix ?? ''}...`,
          ...{ limit: null, limit_remaining: null, limit_reset: null },
          ...usageResponse(NO_USAGE),
          include_byok_in_limit: false as const,
          is_free_tier: false as const,
          is_management_key: true as const,
          is_provisioning_key: true as const,
          rate_limit: {
            requests: -1 as const,
            interval: '1m',
            note: 'Deprecated: see the headers x-ratelimit-…',
          },
          free_model_daily_requests: { limit: 0 as const, remaining: 0 as const, used: 0 as const },
          allowed_data_regions: ['global'],
          expires_at: key?.expiresAt?.toISOString() ?? null,
          creator_user_id: null,
          organization_id: null,
          workspace_id: actor.accountId ?? null,
        },
      };
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/api/v1/credits',
    operationId: 'openRouterCredits',
    summary: 'Get credits, as OpenRouter does',
    description:
      'Of the account of the admin key, or of all accounts: `total_credits` less `total_usage` is what is left in ' +
      'pools with a limit.',
    scope: 'pools:read',
    response: z.object({ data: z.object({ total_credits: z.number(), total_usage: z.number() }) }),
    async handle(context, { actor: { accountId }, signal }) {
      const [used, left] = await Promise.all([
        usageOf(context, accountId, signal),
        context.poolListStore.left({ accountId }, signal),
      ]);
      return { data: { total_credits: dollars(used + left), total_usage: dollars(used) } };
    },
  }),
];
