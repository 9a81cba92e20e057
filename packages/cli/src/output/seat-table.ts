import type { SeatInvitationMessage, SeatMessage } from '@model-gateway/contracts';
import { formatTable, type TableOptions } from './format-table.ts';
import { isoTimestamp, timestampOrNull } from './timestamp.ts';

/** @throws when the answer of the control plane holds no seat */
export function seatJson(seat: SeatMessage | null) {
  if (seat === null) throw new Error('the control plane answered without a seat');
  return {
    id: seat.id,
    team_id: seat.teamId,
    account_id: seat.accountId,
    account_email: seat.accountEmail,
    status: seat.removedAtMs === undefined ? 'active' : 'removed',
    created_at: isoTimestamp(seat.createdAtMs),
    removed_at: timestampOrNull(seat.removedAtMs),
  };
}

/** @throws when the answer of the control plane holds no invitation */
export function invitationJson(invitation: SeatInvitationMessage | null) {
  if (invitation === null) throw new Error('the control plane answered without an invitation');
  return {
    id: invitation.id,
    team_id: invitation.teamId,
    // Nobody has the seat yet.
    account_id: null,
    account_email: invitation.email,
    status: 'invited',
    created_at: isoTimestamp(invitation.createdAtMs),
    removed_at: null,
    expires_at: isoTimestamp(invitation.expiresAtMs),
  };
}

type SeatRow = ReturnType<typeof seatJson> | ReturnType<typeof invitationJson>;

export function seatTable(seats: readonly SeatRow[], options?: TableOptions): string {
  return formatTable(
    ['ID', 'ACCOUNT', 'EMAIL', 'STATUS', 'CREATED', 'REMOVED'],
    seats.map((seat) => [
      seat.id,
      seat.account_id ?? '-',
      seat.account_email,
      seat.status,
      seat.created_at,
      seat.removed_at ?? '-',
    ]),
    options,
  );
}
