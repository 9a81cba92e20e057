import { scope } from '@model-gateway/shared/access';
import { z } from 'zod';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import type { StoredAdminKey } from './stored-admin-key.ts';

/** Key of the management API as that API and audit events show it, without its secret. */
export const adminKeyResourceSchema = z.object({
  object: z.literal('admin_key'),
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe('First 16 characters of the raw key.'),
  scopes: z.array(scope),
  account_id: z.string().nullable().describe('The only account that it can see and change. Null: all.'),
  networks: z.array(z.string()).nullable().describe('CIDRs of callers. Null: any.'),
  created_at: timestamp,
  expires_at: timestamp.nullable().describe('Null: never.'),
  revoked_at: timestamp.nullable(),
});
export type AdminKeyResource = z.infer<typeof adminKeyResourceSchema>;

export function adminKeyResource(key: StoredAdminKey): AdminKeyResource {
  return {
    object: 'admin_key',
    id: key.id,
    name: key.name,
    prefix: key.displayPrefix,
    scopes: key.scopes,
    account_id: key.accountId,
    networks: key.networks.length === 0 ? null : key.networks,
    created_at: key.createdAt.toISOString(),
    expires_at: optionalTimestamp(key.expiresAt),
    revoked_at: optionalTimestamp(key.revokedAt),
  };
}
