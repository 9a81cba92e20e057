import type { Change, ChangeGuard } from '../../actors/change-guard.ts';
import { type Claim, insertClaim } from '../../idempotency/idempotency-store.ts';
import { alreadyClaimed, preconditionFailed } from '../errors/guard-errors.ts';
import { etagOf, matchesEtag } from '../etag.ts';

/** Conditions that a request sets for its change. */
export interface RequestConditions {
  ifMatch: string | undefined;
  claim: Claim | undefined;
  /** Encrypts the response. @param changes the requested one first, then those that follow from it */
  sealResponse(changes: readonly Change[]): Buffer;
}

/**
 * Makes the guard of one request: it compares If-Match with the object under lock, and claims the
 * Idempotency-Key. Checks the first change only: the later ones of the same request follow from it.
 */
export function requestGuard({ claim, ifMatch, sealResponse }: RequestConditions): ChangeGuard {
  let isChecked = false;
  return async (transaction, change, further) => {
    const { before } = change;
    if (isChecked) return;
    isChecked = true;
    if (ifMatch !== undefined && before !== null) {
      const etag = etagOf(before);
      if (!matchesEtag(ifMatch, etag)) throw preconditionFailed(etag);
    }
    if (claim !== undefined && !(await insertClaim(transaction, claim, sealResponse([change, ...further]))))
      throw alreadyClaimed();
  };
}
