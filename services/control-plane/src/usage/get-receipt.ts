import type { KeyOwnerMessage } from '@model-gateway/contracts';
import type { RoleStore } from '../access/role-store.ts';
import { visibilityOf } from '../access/visibility.ts';
import type { UserActor } from '../actors/actor.ts';
import { type ControlPlaneError, notFound } from '../errors/control-plane-error.ts';
import { namedKey } from '../keys/named-key.ts';
import { requireKeyOwner } from '../keys/require-key-owner.ts';
import { receiptMessage } from './receipt-message.ts';
import type { UsageStore } from './usage-store.ts';

export interface GetReceiptContext {
  usageStore: Pick<UsageStore, 'receipt'>;
  roleStore: Pick<RoleStore, 'developerOfKey'>;
}

/**
 * Returns the receipt of a request.
 * @param request.owner null: the caller may see every receipt
 * @param request.keyId key of the caller; if a developer made it, only requests with their keys are found
 * @param withCost includes what providers charge, which only operators may see
 * @throws ControlPlaneError invalid_argument; not_found, also for another owner's request
 */
export async function getReceipt(
  { usageStore, roleStore }: GetReceiptContext,
  {
    requestId,
    owner,
    keyId,
  }: { requestId: string; owner: KeyOwnerMessage | null; keyId?: string | undefined },
  signal: AbortSignal,
  withCost: boolean,
) {
  const viewer = owner === null ? undefined : requireKeyOwner(owner);
  const row = await usageStore.receipt(requestId, signal);
  const isOwn = viewer === undefined || (row?.accountId === viewer.accountId && row.seatId === viewer.seatId);
  if (row === undefined || !isOwn) throw noReceipt(requestId);
  const memberId = keyId === undefined ? undefined : await roleStore.developerOfKey(keyId);
  if (memberId !== undefined && row.keyMemberId !== memberId) throw noReceipt(requestId);
  return receiptMessage(row, withCost);
}

/** @throws ControlPlaneError not_found, also for a request that the user may not see */
export async function getHolderReceipt(
  { usageStore }: Pick<GetReceiptContext, 'usageStore'>,
  actor: UserActor,
  { requestId }: { requestId: string },
  signal: AbortSignal,
) {
  const row = await usageStore.receipt(requestId, signal);
  const { accountId, memberId } = visibilityOf(actor);
  const isOthers = memberId !== undefined && row?.keyMemberId !== memberId;
  if (row?.accountId !== accountId || isOthers) throw noReceipt(requestId);
  return { receipt: receiptMessage(row, false), ...namedKey(row) };
}

/** Same error for another owner's request, so that nobody learns that it exists. */
function noReceipt(requestId: string): ControlPlaneError {
  return notFound(
    `there is no receipt of ${requestId}: no provider got this request, ` +
      'or it has ended within the last seconds',
  );
}
