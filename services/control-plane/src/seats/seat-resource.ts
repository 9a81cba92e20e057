import { z } from 'zod';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import type { StoredSeat } from './stored-seat.ts';

/** Seat as the management API and audit events show it. */
export const seatResourceSchema = z.object({
  object: z.literal('seat'),
  id: z.string(),
  team_id: z.string(),
  /** The account that holds it. */
  account_id: z.string(),
  email: z.string(),
  external_id: z.string().nullable(),
  created_at: timestamp,
  removed_at: timestamp.nullable(),
});
export type SeatResource = z.infer<typeof seatResourceSchema>;

export function seatResource(seat: StoredSeat): SeatResource {
  return {
    object: 'seat',
    id: seat.id,
    team_id: seat.teamId,
    account_id: seat.accountId,
    email: seat.account.email,
    external_id: seat.externalId,
    created_at: seat.createdAt.toISOString(),
    removed_at: optionalTimestamp(seat.removedAt),
  };
}
