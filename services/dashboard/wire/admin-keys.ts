import { z } from 'zod';
import { MAX_NAME_LENGTH } from './name-length.ts';

export const adminKeyEntry = z.object({
  id: z.string(),
  name: z.string(),
  /** The first 16 characters of the raw key. */
  displayPrefix: z.string(),
  scopes: z.array(z.string()),
  /** CIDRs of callers; empty: any. */
  networks: z.array(z.string()),
  createdAtMs: z.number(),
  /** Null: never. */
  expiresAtMs: z.number().nullable(),
  revokedAtMs: z.number().nullable(),
  /** Exact to a minute; null: never. */
  lastUsedAtMs: z.number().nullable(),
});
export type AdminKeyEntry = z.infer<typeof adminKeyEntry>;

/** GET /api/admin-keys, for admins: those bound to the account, newest first. */
export const adminKeysResponse = z.object({
  keys: z.array(adminKeyEntry),
  /** Scopes that users may grant. */
  grantable: z.array(z.string()),
});
export type AdminKeysResponse = z.infer<typeof adminKeysResponse>;

/** POST /api/admin-keys, status 201 */
export const createAdminKeyRequest = z.object({
  name: z.string().trim().min(1, 'is missing').max(MAX_NAME_LENGTH),
  scopes: z.array(z.string().max(50)).min(1, 'needs at least one scope').max(50),
  networks: z.array(z.string().max(50)).max(50),
  expiresAtMs: z.number().int().positive().optional(),
});
export type CreateAdminKeyRequest = z.infer<typeof createAdminKeyRequest>;
export const createAdminKeyResponse = z.object({
  key: adminKeyEntry,
  /** It cannot be shown again. */
  rawKey: z.string(),
});
export type CreateAdminKeyResponse = z.infer<typeof createAdminKeyResponse>;

// POST /api/admin-keys/:keyId/revoke, without a body; answered with 204.
