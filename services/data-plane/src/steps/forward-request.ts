import { verdictOf } from '@model-gateway/dialects';
import { toGatewayError } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import { ClientGone, type Exchange } from '../http/exchange.ts';
import { CLIENT_CLOSED_REQUEST } from '../request-record.ts';
import type { StreamCheckpoints } from '../settlement/stream-checkpoints.ts';
import { verdictInExchange } from '../upstream/attempt-request.ts';
import type { Candidate, Candidates } from '../upstream/candidates.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import { OVERHEAD_HEADER, overheadMs } from '../upstream/overhead.ts';
import { mayRepeat, tryUpstreams, type UpstreamsContext } from '../upstream/try-upstreams.ts';

/** The status of every answer that is no error, whatever the provider calls its own. */
const OK = 200;
/** No other model is asked after so many: a record of a request lists a hundred at most. */
const MAX_ATTEMPTS = 50;

export interface ForwardContext extends UpstreamsContext {
  checkpoints: Pick<StreamCheckpoints, 'follow'>;
}

/**
 * Sends the request to a provider and its answer to the client, but for the last byte. While nothing was
 * passed on, a failing provider is followed by another upstream, or tried once more where only its connection
 * failed, within the retry budget; and a failing model by the next one that may answer. Sets
 * `record.servingModel`, `hasFallbacks`, `isServed`, `attempts`, `usage`, `outcome`, `clientStatus` and
 * `clientErrorCode`.
 *
 * @throws GatewayError as in docs/errors.md, "Error codes"; ClientGone
 */
export async function forwardRequest(
  context: ForwardContext,
  exchange: Exchange,
  candidates: Candidates,
): Promise<void> {
  const { record, stop } = exchange;
  stop.signal.throwIfAborted();
  context.retryBudget.countRequest();
  let reported: Failed | undefined;
  for (;;) {
    const { current, others } = candidates;
    const attempts = record.attempts.length;
    record.hasFallbacks = others.length > 0 && attempts < MAX_ATTEMPTS;
    setModelHeader(exchange, current.model);
    try {
      await forwardTo(context, exchange, current);
      return;
    } catch (failure) {
      const failed = { model: current.model, failure, isAsked: record.attempts.length > attempts };
      const mayFollow = mayRepeat(exchange, current.request) && verdictOf(failure).next.includes('model');
      // A failure that ends the request replaces earlier ones.
      reported = mayFollow ? chooseReportedFailure(reported, failed) : failed;
      if (!mayFollow || !record.hasFallbacks) break;
    }
    candidates.next();
    record.servingModel = candidates.current.model;
  }
  if (reported.model !== candidates.current.model) {
    record.servingModel = reported.model;
    setModelHeader(exchange, reported.model);
  }
  failRequest(exchange, candidates.current.request, reported.failure);
  throw reported.failure;
}

/** How one of the models has failed. */
interface Failed {
  model: RoutedModel;
  failure: unknown;
  /** True if a provider was asked. */
  isAsked: boolean;
}

/**
 * Picks the failure to report: that of the last model that reached a provider. A model that could not be
 * asked must not hide it.
 */
function chooseReportedFailure(before: Failed | undefined, failed: Failed): Failed {
  if (before === undefined || failed.isAsked) return failed;
  const lacksField = verdictOf(failed.failure).blame === 'request';
  return before.isAsked || lacksField ? before : failed;
}

function setModelHeader({ res }: Exchange, model: RoutedModel): void {
  // A keep-alive may have gone out while another model was asked.
  if (!res.headersSent) res.setHeader('x-gateway-model', model.id);
}

/** @throws GatewayError; ClientGone */
async function forwardTo(
  context: ForwardContext,
  exchange: Exchange,
  { model, request }: Candidate,
): Promise<void> {
  const { record } = exchange;
  const unfollow = context.checkpoints.follow(exchange, request.answer);
  try {
    await tryUpstreams(context, exchange, model, request);
    record.outcome = 'completed';
    record.clientStatus = OK;
    record.usage = request.answer.usage(true);
  } finally {
    unfollow();
  }
}

function failRequest(exchange: Exchange, { answer }: CapabilityCall, failure: unknown): void {
  const { record, res } = exchange;
  record.outcome = verdictInExchange(failure, exchange).outcome;
  recordClientStatus(exchange, failure);
  // What was delivered before the end counts as used.
  record.usage = answer.usage(false);
  if (!res.headersSent) res.setHeader(OVERHEAD_HEADER, overheadMs(exchange));
  answer.fail(failure);
}

/** Records the status that the client is about to get; the head of a response that has begun stays. */
function recordClientStatus({ record, res }: Exchange, failure: unknown): void {
  const isGone = failure instanceof ClientGone;
  const error = isGone ? undefined : toGatewayError(failure);
  record.clientStatus = res.headersSent ? res.statusCode : (error?.status ?? CLIENT_CLOSED_REQUEST);
  record.clientErrorCode = error?.code;
}
