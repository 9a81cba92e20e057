import { z } from 'zod';

export const storedKey = z.object({
  id: z.string(),
  accountId: z.string(),
  seatId: z.string().nullable(),
  name: z.string(),
  displayPrefix: z.string(),
  /** issued, playground (hidden), or the word of whoever wrote a key that nobody has into the database */
  kind: z.string(),
  createdAt: z.date(),
  /** Null: never. */
  expiresAt: z.date().nullable(),
  revokedAt: z.date().nullable(),
  /** Null: if it is revoked, then for good; else until its account is resumed. */
  suspendedAt: z.date().nullable(),
  /** Id of the key that it was rotated for. */
  replacedBy: z.string().nullable(),
});
export type StoredKey = z.infer<typeof storedKey>;
