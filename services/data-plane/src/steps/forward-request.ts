import { type Usage, verdictOf } from '@model-gateway/dialects';
import { GatewayError, toGatewayError } from '@model-gateway/shared';
import { hideUpstream } from '@model-gateway/shared/errors';
import { maxUsage } from '../billing/cost-of-usage.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import { type AuthenticatedExchange, ClientGone, type Exchange } from '../http/exchange.ts';
import { CLIENT_CLOSED_REQUEST } from '../request-record.ts';
import { followedResponseOf } from '../settlement/followed-response.ts';
import type { StreamCheckpoints } from '../settlement/stream-checkpoints.ts';
import { verdictInExchange } from '../upstream/attempt-request.ts';
import type { Candidates } from '../upstream/candidates.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import { OVERHEAD_HEADER, overheadMs } from '../upstream/overhead.ts';
import { mayRepeat, tryUpstreams, type UpstreamsContext } from '../upstream/try-upstreams.ts';

/** The client's status for every success, whatever the provider sent. */
const OK = 200;
/** No further model is tried after this many attempts: a settlement record lists at most 100. */
const MAX_ATTEMPTS = 50;

export interface ForwardContext extends UpstreamsContext {
  checkpoints: Pick<StreamCheckpoints, 'follow'>;
  /** True if errors do not name providers or repeat their words. */
  hidesUpstreams: boolean;
}

/**
 * Sends the request to a provider and relays the response except for its last byte. Until anything was
 * relayed, failures lead to another upstream, or to a retry after a connection failure, within the retry
 * budget; then to the next model.
 * Sets `record.servingModel`, `hasFallbacks`, `isServed`, `attempts`, `usage`, `outcome`, `clientStatus` and
 * `clientErrorCode`.
 * @throws GatewayError as in docs/errors.md, "Error codes"; ClientGone
 */
export async function forwardRequest(
  context: ForwardContext,
  exchange: AuthenticatedExchange,
  candidates: Candidates,
): Promise<void> {
  const { record, stop } = exchange;
  stop.signal.throwIfAborted();
  context.retryBudget.countRequest();
  let reported: ModelFailure | undefined;
  for (;;) {
    const { model, request } = candidates.current;
    const { answer, background } = request;
    const attempts = record.attempts.length;
    record.hasFallbacks = candidates.others.length > 0 && attempts < MAX_ATTEMPTS;
    setModelHeader(exchange, model);
    const unfollow = context.checkpoints.follow(
      exchange,
      answer,
      background && (() => followedResponseOf(exchange, model, request, answer.usage(false))),
    );
    try {
      await tryUpstreams(context, exchange, model, request);
      record.outcome = 'completed';
      record.clientStatus = OK;
      record.usage = answer.usage(true);
      return;
    } catch (failure) {
      const failed = { model, failure, isCalled: record.attempts.length > attempts };
      const mayFollow = mayRepeat(exchange, request) && verdictOf(failure).next.includes('model');
      // A failure that ends the request replaces earlier ones.
      reported = mayFollow ? chooseReportedFailure(reported, failed) : failed;
      if (!mayFollow || !record.hasFallbacks) break;
    } finally {
      unfollow();
    }
    candidates.next();
    record.servingModel = candidates.current.model;
  }
  if (reported.model !== candidates.current.model) {
    record.servingModel = reported.model;
    setModelHeader(exchange, reported.model);
  }
  await failRequest(context, exchange, candidates.current.request, reported.failure);
  throw reported.failure;
}

interface ModelFailure {
  model: RoutedModel;
  failure: unknown;
  isCalled: boolean;
}

/**
 * Picks the failure to report: the last one from a provider. A model without a usable provider must not hide
 * it.
 */
function chooseReportedFailure(before: ModelFailure | undefined, failed: ModelFailure): ModelFailure {
  if (before === undefined || failed.isCalled) return failed;
  const lacksField = verdictOf(failed.failure).blame === 'request';
  return before.isCalled || lacksField ? before : failed;
}

function setModelHeader({ res }: Exchange, model: RoutedModel): void {
  // A keep-alive may have sent the headers already.
  if (!res.headersSent) res.setHeader('x-gateway-model', model.id);
}

async function failRequest(
  { hidesUpstreams }: ForwardContext,
  exchange: Exchange,
  request: CapabilityCall,
  failure: unknown,
): Promise<void> {
  const { record, res } = exchange;
  record.outcome = verdictInExchange(failure, exchange).outcome;
  recordClientStatus(exchange, failure);
  record.usage = await usageOfFailed(request, record.attempts.at(-1)?.cutOffAfterMs);
  if (!res.headersSent) res.setHeader(OVERHEAD_HEADER, overheadMs(exchange));
  const isHidden = hidesUpstreams && failure instanceof GatewayError;
  request.answer.fail(isHidden ? hideUpstream(failure) : failure);
}

/**
 * Returns what was delivered, and what the provider did for a client that has left; the maximum if that
 * cannot be counted, because all of it may have been delivered.
 */
async function usageOfFailed(
  { answer, estimateUnread, maxUnits, serviceTier }: CapabilityCall,
  cutOffAfterMs: number | undefined,
): Promise<Usage | undefined> {
  try {
    const delivered = answer.usage(false);
    return delivered ?? (cutOffAfterMs === undefined ? undefined : await estimateUnread?.(cutOffAfterMs));
  } catch {
    return maxUsage({ maxUnits, serviceTier });
  }
}

/** Records the status that the client will get; a response that has begun keeps its own. */
function recordClientStatus({ record, res }: Exchange, failure: unknown): void {
  const isGone = failure instanceof ClientGone;
  const error = isGone ? undefined : toGatewayError(failure);
  record.clientStatus = res.headersSent ? res.statusCode : (error?.status ?? CLIENT_CLOSED_REQUEST);
  record.clientErrorCode = error?.code;
}
