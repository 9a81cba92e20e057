/** Ids in one audit event. */
const MAX_IDS = 1_000;

/** What ended together with an object; adds nothing to a resource with which nothing ended. */
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
