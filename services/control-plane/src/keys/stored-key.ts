import { z } from 'zod';

export const storedKey = z.object({
  id: z.string(),
  accountId: z.string(),
  seatId: z.string().nullable(),
  name: z.string(),
  displayPrefix: z.string(),
  /**
   * `issued`, `playground` (hidden), or another word for a key that was written into the database and that
   * nobody has (the demo usage of the quick start).
   */
  kind: z.string(),
  createdAt: z.date(),
  /** Null: never. */
  expiresAt: z.date().nullable(),
  revokedAt: z.date().nullable(),
  /**
   * Null when the key is not suspended: if it is revoked, it stays so. Otherwise it is revoked until its
   * account is resumed.
   */
  suspendedAt: z.date().nullable(),
  /** Id of the key that replaced this one when it was rotated. */
  replacedBy: z.string().nullable(),
});
export type StoredKey = z.infer<typeof storedKey>;
