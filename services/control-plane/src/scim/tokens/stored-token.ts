import { z } from 'zod';

export const storedScimToken = z.object({
  id: z.string(),
  name: z.string(),
  displayPrefix: z.string(),
  /** Account whose members it provisions; null: every user has an account of its own. */
  accountId: z.string().nullable(),
  createdAt: z.date(),
  revokedAt: z.date().nullable(),
  /** Rounded down to a minute; null: never. */
  lastUsedAt: z.date().nullable(),
});
export type StoredScimToken = z.infer<typeof storedScimToken>;
