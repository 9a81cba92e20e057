/** Ids in one audit event. */
const MAX_IDS = 1_000;

/** Returns the ids of seats and keys that ended with an object, for its resource in an audit event. */
export function endedWith({
  keyIds = [],
  seatIds = [],
}: {
  keyIds?: readonly string[];
  seatIds?: readonly string[];
}) {
  return {
    ...(seatIds.length > 0 && { removed_seat_ids: seatIds.slice(0, MAX_IDS) }),
    ...(keyIds.length > 0 && { revoked_key_ids: keyIds.slice(0, MAX_IDS) }),
  };
}
