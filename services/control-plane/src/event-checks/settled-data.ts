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
    ...receiptAnswer(receiptMessage(row)),
    account_id: row.accountId,
    seat_id: row.seatId,
    team_id: row.teamId,
    key_id: row.keyId,
    is_provisional: row.isProvisional,
    is_correction: isCorrection,
    cost_nano_usd: String(cost),
  };
}
