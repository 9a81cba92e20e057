import type { ListHolderRequestsRequestMessage } from '@model-gateway/contracts';
import { namedKey } from '../keys/named-key.ts';
import { omitAbsent } from '../omit-absent.ts';
import { requireSeatOfHolder } from '../teams/ownership.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import { clientAnswer } from './client-answer.ts';
import type { ListedRefusal, RefusalListStore } from './refusal-list-store.ts';
import { encodePlace } from './request-page.ts';
import { requestQuestion } from './request-question.ts';
import type { RequestRow, RequestStore } from './request-store.ts';
import { requestTimings } from './request-timings.ts';
import { unitsMessage } from './units-message.ts';

export interface ListHolderRequestsContext {
  refusalListStore: Pick<RefusalListStore, 'list'>;
  requestStore: Pick<RequestStore, 'list'>;
  seatStore: Pick<SeatStore, 'find'>;
}

/**
 * Returns one page of an account's requests; settlements between two pages move none. A repeated refusal
 * moves to the front.
 * @throws ControlPlaneError invalid_argument; not_found (seat)
 */
export async function listHolderRequests(
  context: ListHolderRequestsContext,
  request: ListHolderRequestsRequestMessage,
  signal: AbortSignal,
) {
  const question = requestQuestion(request);
  const { accountId, seatId, limit } = question;
  if (seatId !== undefined) await requireSeatOfHolder(context, accountId, seatId);
  const asked = { ...question, limit: limit + 1 };
  const [ended, refused] = await Promise.all([
    context.requestStore.list(asked, signal),
    question.withRefused ? context.refusalListStore.list(asked, signal) : [],
  ]);
  // Stable sort: at the same millisecond, requests come before refusals, as in the stores.
  const found = [...ended.map(requestMessage), ...refused.map(refusalMessage)].sort(
    (a, b) => b.endedAtMs - a.endedAtMs,
  );
  const listed = found.slice(0, limit);
  const last = listed.at(-1);
  return {
    requests: listed,
    ...(last === undefined || found.length === listed.length ? {} : { nextPageToken: encodePlace(last) }),
  };
}

/** No receipt: the id means nothing outside the list. */
function refusalMessage(row: ListedRefusal) {
  return {
    requestId: row.id,
    endedAtMs: row.lastAt.getTime(),
    modelId: row.modelId,
    capability: row.capability,
    keyId: row.keyId,
    ...namedKey(row),
    billingReason: '',
    cost: '0',
    latencyMs: 0,
    clientStatus: row.status,
    clientErrorCode: row.errorCode,
    refused: { count: row.count, firstAtMs: row.firstAt.getTime() },
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
    billingReason: row.billingReason,
    cost: String(row.charged),
    latencyMs,
    ...omitAbsent({ usageSource: row.usageSource, timeToFirstTokenMs, httpStatus, errorCode }),
    ...clientAnswer(row),
  };
}
