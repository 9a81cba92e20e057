import { z } from 'zod';

export const storedKey = z.object({
  id: z.string(),
  accountId: z.string(),
  seatId: z.string().nullable(),
  name: z.string(),
  displayPrefix: z.string(),
  /** `issued`, `playground` (hidden), or another word for demo rows whose raw key nobody has. */
  kind: z.string(),
  createdAt: z.date(),
  /** Its own expiry; null: never. */
  expiresAt: z.date().nullable(),
  /** Expiry by the rules of its levels; null: never. */
  rulesExpireAt: z.date().nullable(),
  revokedAt: z.date().nullable(),
  /** Set while suspended: revoked until the account is resumed. Null: if revoked, for good. */
  suspendedAt: z.date().nullable(),
  replacedBy: z.string().nullable(),
  /** The first key of its rotations; null: itself. */
  firstKeyId: z.string().nullable(),
  /** Checked by `tags` of packages/shared/src/rules; null: none. */
  tags: z.unknown(),
  /** Directives of the cache; null: none. */
  cache: z.string().nullable(),
  externalId: z.string().nullable(),
  /** Member of the account who made it; null: nobody in particular. */
  memberId: z.string().nullable(),
  /** Reason why it is stopped, such as `scim`; null: it is not. */
  stoppedBy: z.string().nullable(),
});
export type StoredKey = z.infer<typeof storedKey>;
