import { reportOfFailure, type UpstreamRequest, VERDICTS, verdictOf } from '@model-gateway/dialects';
import { GatewayError, type Verdict } from '@model-gateway/shared';
import { newSpanId } from '@model-gateway/telemetry';
import { estimateAttempt } from '../billing/estimate-attempt.ts';
import type { RoutedUpstream } from '../catalog/model-table.ts';
import { type AuthenticatedExchange, ClientGone, type Exchange } from '../http/exchange.ts';
import { modelOf, type UpstreamAttempt } from '../request-record.ts';
import { isAllowed } from '../rules/is-allowed.ts';
import type { CapabilityCall } from './capability-call.ts';
import type { ProviderCredential } from './credential-ring.ts';
import type { FetchedCredentials } from './fetched-credentials.ts';
import { withCredential } from './provider-credentials.ts';
import type { ProviderPools } from './provider-pools.ts';
import type { ReadingOn } from './reading-on.ts';
import { secretRedactor } from './redact.ts';
import type { RefusedAccessLog } from './refused-access-log.ts';
import type { RefusedCredentials } from './refused-credentials.ts';
import { isEventStream } from './relay-event-stream.ts';
import { ResponseTrace } from './response-trace.ts';
import { sendToProvider } from './send-to-provider.ts';
import { UpstreamCall } from './upstream-call.ts';

export interface AttemptContext {
  pools: ProviderPools;
  refusedAccess: Pick<RefusedAccessLog, 'note'>;
  refusedCredentials: Pick<RefusedCredentials, 'accepted' | 'note'>;
  fetchedCredentials: Pick<FetchedCredentials, 'get'>;
  readingOn: Pick<ReadingOn, 'begin'>;
}

/**
 * Makes one attempt at a provider: sends the request and relays its response except for the last byte. Sets
 * `record.isServed` and adds to `record.attempts`.
 * @param answered called as soon as the provider has responded
 * @throws GatewayError; ClientGone
 */
export async function attemptRequest(
  context: AttemptContext,
  exchange: AuthenticatedExchange,
  { credential, upstream }: { upstream: RoutedUpstream; credential: ProviderCredential },
  request: CapabilityCall,
  answered: () => void,
): Promise<void> {
  const { record, stop } = exchange;
  const { model: upstreamModel, provider } = upstream;
  const model = modelOf(record);
  const modelId = model?.id;
  // Earlier steps choose only what rules allow. Check again, so that their mistakes reach no provider.
  if (modelId !== undefined && !isAllowed(record, 'models', modelId)) throw choiceForbidden(modelId);
  if (!isAllowed(record, 'providers', provider.id)) throw choiceForbidden(provider.id);
  const call = new UpstreamCall(stop.signal, (left) => context.readingOn.begin(left, exchange));
  let upstreamRequest: UpstreamRequest;
  try {
    const built = request.buildRequest(provider.protocol, upstreamModel, call);
    upstreamRequest = built instanceof Promise ? await built : built;
  } catch (failure) {
    // A request that this provider's API cannot express is not an attempt.
    call.close(false);
    throw failure;
  }
  const attempt: UpstreamAttempt = {
    providerId: provider.id,
    modelId,
    upstreamModel,
    credentialEnv: credential.variable,
    streamed: record.streamed,
    startedAtMs: performance.now(),
    traceparent: record.trace?.traceparent(newSpanId()),
    traced: record.trace?.isSampled ? new ResponseTrace() : undefined,
  };
  record.isServed = true;
  record.attempts.push(attempt);
  let isComplete = false;
  let { secrets } = credential;
  try {
    const found = credential.source && context.fetchedCredentials.get(credential.source);
    const fetched = found instanceof Promise ? await found : found;
    const current = withCredential({ attempt, call, provider }, credential, fetched);
    secrets = current.secrets;
    const answer = await sendToProvider(context.pools, exchange, current, upstreamRequest, request.streamed);
    answered();
    context.refusedCredentials.accepted(provider.id, credential.variable, upstreamModel);
    if (request.streamedIfAnswerIs) attempt.streamed = isEventStream(answer);
    const passing = request.answer.pass(answer, current);
    if (passing !== undefined) await passing;
    isComplete = true;
    call.close(true);
    // The client has left, and the response was only read for its usage.
    if (call.leftAtMs !== undefined) throw stop.signal.reason;
    attempt.outcome = 'completed';
  } catch (thrown) {
    const ending = call.failure(thrown);
    const nowMs = performance.now();
    const ms = nowMs - attempt.startedAtMs - call.pausedMs;
    if (ending instanceof ClientGone && call.isSent && !isComplete) attempt.cutOffAfterMs = ms;
    // A failure after the client has left is not the reason.
    const failure = call.leftAtMs === undefined ? ending : stop.signal.reason;
    const verdict = verdictInExchange(failure, exchange);
    attempt.verdict = verdict;
    attempt.outcome = verdict.outcome;
    if (failure instanceof GatewayError) attempt.errorCode = failure.code;
    attempt.report = reportOfFailure(failure, secretRedactor(secrets));
    const waitedUntilMs = call.leftAtMs ?? nowMs;
    if (attempt.outcome === 'client_gone' && (attempt.firstByteAtMs ?? nowMs) >= waitedUntilMs) {
      // Two clock reads may differ, and a negative wait would invalidate the record.
      attempt.silentMs = Math.max(0, waitedUntilMs - attempt.startedAtMs - call.pausedMs);
    }
    const usedCredential = {
      providerId: provider.id,
      credentialEnv: credential.variable,
      source: credential.source?.name,
    };
    context.refusedAccess.note(verdict, usedCredential, attempt);
    context.refusedCredentials.note(verdict, usedCredential, attempt);
    call.close(false);
    attempt.endedAtMs ??= nowMs;
    const estimating = estimateAttempt(request, { attempt, isSent: call.isSentWhole, ms }, model);
    if (estimating !== undefined) await estimating;
    throw failure;
  } finally {
    attempt.endedAtMs ??= performance.now();
  }
}

function choiceForbidden(id: string): Error {
  return new Error(`a step chose ${id}, which the rules of the request do not allow`);
}

/** Returns the verdict on a failure in an exchange that may have been stopped meanwhile. */
export function verdictInExchange(failure: unknown, { stop }: Exchange): Verdict {
  if (failure instanceof ClientGone) return VERDICTS.client_left;
  const verdict = verdictOf(failure);
  return stop.signal.aborted && verdict.outcome !== 'rejected' ? VERDICTS.interrupted : verdict;
}
