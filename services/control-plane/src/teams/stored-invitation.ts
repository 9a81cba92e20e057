import { z } from 'zod';

export const storedInvitation = z.object({
  id: z.string(),
  teamId: z.string(),
  email: z.string(),
  createdAt: z.date(),
  expiresAt: z.date(),
});
export const offeredSeat = storedInvitation.extend({ teamName: z.string() });

/** Open offer of a seat to an e-mail address. */
export type StoredInvitation = z.infer<typeof storedInvitation>;
export type OfferedSeat = z.infer<typeof offeredSeat>;
