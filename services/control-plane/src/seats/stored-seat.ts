import { z } from 'zod';

export const storedSeat = z.object({
  id: z.string(),
  teamId: z.string(),
  accountId: z.string(),
  account: z.object({ email: z.string() }),
  createdAt: z.date(),
  removedAt: z.date().nullable(),
  externalId: z.string().nullable(),
});
export type StoredSeat = z.infer<typeof storedSeat>;
