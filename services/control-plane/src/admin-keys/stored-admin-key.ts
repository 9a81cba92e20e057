import { scope } from '@model-gateway/shared/access';
import { z } from 'zod';

export const storedAdminKey = z.object({
  id: z.string(),
  name: z.string(),
  displayPrefix: z.string(),
  scopes: z.array(scope),
  /** The only account that it can see and change; null: all. */
  accountId: z.string().nullable(),
  /** CIDRs of callers; empty: any. */
  networks: z.array(z.string()),
  createdAt: z.date(),
  /** Null: never. */
  expiresAt: z.date().nullable(),
  revokedAt: z.date().nullable(),
  /** Rounded down to a minute; null: never. */
  lastUsedAt: z.date().nullable(),
});
export type StoredAdminKey = z.infer<typeof storedAdminKey>;
