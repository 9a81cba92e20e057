import { z } from 'zod';

export const storedEndUser = z.object({
  id: z.string(),
  accountId: z.string(),
  externalId: z.string().nullable(),
  hasRules: z.boolean(),
  /** Null: its rules or requests name it, and nobody has created it. */
  createdAt: z.date().nullable(),
});
export type StoredEndUser = z.infer<typeof storedEndUser>;

export interface EndUserKey {
  accountId: string;
  /** Id in requests. */
  endUser: string;
}
