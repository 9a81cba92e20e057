import { keyCache, rules } from '@model-gateway/shared/rules';
import { z } from 'zod';
import { MAX_NAME_LENGTH } from './name-length.ts';

export const keyEntry = z.object({
  id: z.string(),
  name: z.string(),
  /** The first 16 characters of the raw key. */
  displayPrefix: z.string(),
  /** A `demo` key stands for made-up usage; nobody has its raw key. */
  kind: z.enum(['issued', 'demo']),
  createdAtMs: z.number(),
  /** Null: no use is on record. Records of usage expire. */
  lastUsedAtMs: z.number().nullable(),
  /** In this calendar month, UTC. */
  requestsThisMonth: z.number(),
  /** Null: active. */
  revokedAtMs: z.number().nullable(),
  /** The key is refused from then on, also by rules of its levels; left out: it never expires. */
  expiresAtMs: z.number().optional(),
  /** True while the account that pays is suspended. The key works again when it is resumed. */
  isSuspended: z.boolean().optional(),
  /** Null: the account pays. */
  seat: z.object({ id: z.string(), teamId: z.string(), teamName: z.string() }).nullable(),
  /** Tags of all its requests, by name. */
  tags: z.record(z.string(), z.string()),
  /** Directives of the cache for requests that send none; null: they do not use it. */
  cache: z.string().nullable(),
});
export type KeyEntry = z.infer<typeof keyEntry>;

/** GET /api/keys: newest first. */
export const keysResponse = z.object({
  keys: z.array(keyEntry),
  seats: z.array(z.object({ id: z.string(), teamId: z.string(), teamName: z.string() })),
});
export type KeysResponse = z.infer<typeof keysResponse>;

/** POST /api/keys */
export const createKeyRequest = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'is missing')
    .max(MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`),
  seatId: z.string().optional(),
  rules: rules.optional(),
  cache: keyCache.optional(),
});
export type CreateKeyRequest = z.input<typeof createKeyRequest>;

/** Status 201. The only response that contains a raw key. */
export const createKeyResponse = z.object({ key: keyEntry, rawKey: z.string() });
export type CreateKeyResponse = z.infer<typeof createKeyResponse>;

/** POST /api/keys/:keyId/cache. Null: off. */
export const setKeyCacheRequest = z.object({ cache: keyCache.nullable() });
export type SetKeyCacheRequest = z.infer<typeof setKeyCacheRequest>;

/** POST /api/keys/:keyId/revoke, without a body */
export const revokeKeyResponse = z.object({
  keyId: z.string(),
  revokedAtMs: z.number(),
  /** False: a part of the gateway could not be reached. It refuses the key as soon as it is back. */
  refusedEverywhere: z.boolean(),
});
export type RevokeKeyResponse = z.infer<typeof revokeKeyResponse>;
