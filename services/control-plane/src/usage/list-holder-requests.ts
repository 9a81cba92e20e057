import type { ListHolderRequestsRequestMessage } from '@model-gateway/contracts';
import { namedKey } from '../keys/named-key.ts';
import { requireOwnSeat } from '../teams/require-own-seat.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import { encodePlace } from './request-page.ts';
import { requestQuestion } from './request-question.ts';
import type { RequestRow, RequestStore } from './request-store.ts';
import { requestTimings } from './request-timings.ts';
import { unitsMessage } from './units-message.ts';

export interface ListHolderRequestsContext {
  requestStore: Pick<RequestStore, 'list'>;
  seatStore: Pick<SeatStore, 'find'>;
}

/**
 * One page of an account's requests. What is settled while somebody pages moves no other request to another
 * page.
 * @throws ControlPlaneError invalid_argument; not_found: the seat is not the account's
 */
export async function listHolderRequests(
  context: ListHolderRequestsContext,
  request: ListHolderRequestsRequestMessage,
  signal: AbortSignal,
) {
  const question = requestQuestion(request);
  const { accountId, seatId, limit } = question;
  if (seatId !== undefined) await requireOwnSeat(context, accountId, seatId);
  // One more tells whether there is another page.
  const rows = await context.requestStore.list({ ...question, limit: limit + 1 }, signal);
  const listed = rows.slice(0, limit);
  const last = listed.at(-1);
  return {
    requests: listed.map(requestMessage),
    ...(last === undefined || rows.length === listed.length
      ? {}
      : {
          nextPageToken: encodePlace({ endedAtMs: last.endedAt.getTime(), requestId: last.requestId }),
        }),
  };
}

function requestMessage(row: RequestRow) {
  const { latencyMs, timeToFirstTokenMs } = requestTimings(row.attempts);
  const { httpStatus = null, errorCode = null } = row.attempts.at(-1) ?? {};
  return {
    requestId: row.requestId,
    endedAtMs: row.endedAt.getTime(),
    modelId: row.modelId,
    capability: row.capability,
    keyId: row.keyId,
    ...namedKey(row),
    units: unitsMessage(row),
    ...(row.usageSource === null ? {} : { usageSource: row.usageSource }),
    billingReason: row.billingReason,
    cost: String(row.charged),
    latencyMs,
    ...(timeToFirstTokenMs === undefined ? {} : { timeToFirstTokenMs }),
    ...(httpStatus === null ? {} : { httpStatus }),
    ...(errorCode === null ? {} : { errorCode }),
  };
}
