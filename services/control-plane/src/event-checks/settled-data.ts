import { receiptAnswer } from '@model-gateway/contracts';
import type { EventData } from '@model-gateway/shared/events';
import { receiptMessage } from '../usage/receipt-message.ts';
import type { ReceiptRow } from '../usage/usage-store.ts';

/**
 * Returns the receipt of a request as its caller gets it, with its owner.
 * @param charge what the event adds to the sum of all events, in nano-USD
 */
export function settledData(
  row: ReceiptRow,
  { cost, isCorrection }: { cost: bigint; isCorrection: boolean },
): EventData<'request.settled'> {
  return {
    ...receiptAnswer(receiptMessage(row, false)),
    account_id: row.accountId,
    seat_id: row.seatId,
    team_id: row.teamId,
    key_id: row.keyId,
    is_provisional: row.isProvisional,
    is_correction: isCorrection,
    cost_nano_usd: String(cost),
  };
}

/** Returns what only receivers of the installation get, as `cost_nano_usd` counts. */
export function settledOperatorData(charged: bigint, providerCost: bigint) {
  return {
    provider_cost_nano_usd: String(providerCost),
    margin_nano_usd: String(charged - providerCost),
  } satisfies Partial<EventData<'request.settled'>>;
}

/** Returns what providers charge for a request, with unused attempts, in nano-USD. */
export function providerCostOf({ attemptsCost, cost, providerCost }: ReceiptRow): bigint {
  return (providerCost ?? cost) + (attemptsCost ?? 0n);
}
