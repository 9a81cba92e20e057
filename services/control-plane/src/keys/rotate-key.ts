import type { Logger } from '@model-gateway/service-kit';
import { tags as keyTags } from '@model-gateway/shared/rules';
import type { Actor } from '../actors/actor.ts';
import { type RevocationContext, waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { KeyChangeStore } from './key-change-store.ts';
import type { KeyStore } from './key-store.ts';
import { newKey } from './new-key.ts';
import { requireActiveKey } from './require-active-key.ts';
import type { Peppers } from './stored-hashes.ts';

export interface RotateKeyContext extends RevocationContext, Peppers {
  keyStore: Pick<KeyStore, 'find'>;
  keyChangeStore: Pick<KeyChangeStore, 'replace'>;
  log: Logger;
}

const DAY_MS = 86_400_000;
const MAX_OVERLAP_DAYS = 90;

/**
 * Replaces a key by a new one with the same account, seat, name, expiry, tags, cache and rules. Both count
 * into the same budgets. The old key ends after the overlap, or is revoked before this returns.
 * @param request.overlapMs 0: none
 * @throws ControlPlaneError not_found, invalid_argument (overlap), failed_precondition (inactive or already
 *   rotated)
 */
export async function rotateKey(
  context: RotateKeyContext,
  actor: Actor,
  { keyId, overlapMs, rawKey }: { keyId: string; overlapMs: number; rawKey?: string },
) {
  if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_DAYS * DAY_MS)) {
    throw invalidArgument(`an overlap lasts at most ${MAX_OVERLAP_DAYS} days`);
  }
  const old = requireActiveKey(await context.keyStore.find(keyId), keyId);
  const tags = keyTags.nullable().parse(old.tags);
  const successor = newKey(
    context,
    {
      accountId: old.accountId,
      seatId: old.seatId ?? undefined,
      memberId: old.memberId ?? undefined,
      name: old.name,
      firstKeyId: old.firstKeyId ?? keyId,
      ...(tags === null ? {} : { tags }),
      ...(old.cache === null ? {} : { cache: old.cache }),
    },
    rawKey,
  );
  const { key, replaced, revision } = await context.keyChangeStore.replace(
    actor,
    keyId,
    successor.key,
    overlapMs,
  );
  context.log.info(
    { key_id: keyId, account_id: key.accountId, replaced_by: key.id, overlap_ms: overlapMs },
    'key rotated',
  );
  const unconfirmed = await waitForRevocation(context, revision);
  return { key, rawKey: successor.rawKey, replaced, unconfirmed };
}
