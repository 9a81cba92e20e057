import { z } from 'zod';

export const storedTeam = z.object({
  id: z.string(),
  ownerAccountId: z.string(),
  name: z.string(),
  requestsPerMinute: z.number(),
  createdAt: z.date(),
  deletedAt: z.date().nullable(),
  externalId: z.string().nullable(),
});
export type StoredTeam = z.infer<typeof storedTeam>;
