import type { ListHolderRequestsRequestMessage } from '@model-gateway/contracts';
import { visibilityOf } from '../access/visibility.ts';
import type { UserActor } from '../actors/actor.ts';
import { namedKey } from '../keys/named-key.ts';
import { omitAbsent } from '../omit-absent.ts';
import { requireSeatOfHolder } from '../teams/ownership.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import { clientStatusOf } from './client-status.ts';
import { labelsMessage } from './labels-message.ts';
import type { ListedRefusal, RefusalListStore } from './refusal-list-store.ts';
import { encodeRequestCursor } from './request-cursor.ts';
import { parseRequestQuery } from './request-query.ts';
import type { RequestRow, RequestStore } from './request-store.ts';
import { requestTimings } from './request-timings.ts';
import { unitsMessage } from './units-message.ts';

export interface ListHolderRequestsContext {
  refusalListStore: Pick<RefusalListStore, 'list'>;
  requestStore: Pick<RequestStore, 'list'>;
  seatStore: Pick<SeatStore, 'find'>;
}

/**
 * Returns one page of the requests that a user may see; settlements between two pages move none. A repeated
 * refusal moves to the front.
 * @throws ControlPlaneError invalid_argument; not_found (seat)
 */
export async function listHolderRequests(
  context: ListHolderRequestsContext,
  actor: UserActor,
  request: ListHolderRequestsRequestMessage,
  signal: AbortSignal,
) {
  const query = parseRequestQuery(request, visibilityOf(actor));
  const { accountId, seatId, limit } = query;
  if (seatId !== undefined) await requireSeatOfHolder(context, accountId, seatId);
  const oneMore = { ...query, limit: limit + 1 };
  const [ended, refused] = await Promise.all([
    context.requestStore.list(oneMore, signal),
    query.withRefused ? context.refusalListStore.list(oneMore, signal) : [],
  ]);
  // Stable sort: at the same millisecond, requests come before refusals, as in the stores.
  const found = [...ended.map(requestMessage), ...refused.map(refusalMessage)].sort(
    (a, b) => b.endedAtMs - a.endedAtMs,
  );
  const listed = found.slice(0, limit);
  const last = listed.at(-1);
  return {
    requests: listed,
    ...(last === undefined || found.length === listed.length
      ? {}
      : { nextPageToken: encodeRequestCursor(last) }),
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
    ...clientStatusOf(row),
    ...labelsMessage(row),
  };
}
