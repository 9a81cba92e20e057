import { type Asked, rejected, VERDICTS, verdictOf } from '@model-gateway/dialects';
import { GatewayError, toGatewayError, type Verdict } from '@model-gateway/shared';
import { modelNotConfigured, modelRefusesGateway, modelUnavailable } from '@model-gateway/shared/errors';
import type { RoutedModel, RoutedUpstream } from '../catalog/model-table.ts';
import { pickUpstream } from '../catalog/pick-upstream.ts';
import { ClientGone, type Exchange } from '../http/exchange.ts';
import { CLIENT_CLOSED_REQUEST, type UpstreamAttempt, type UpstreamOutcome } from '../request-record.ts';
import type { StreamCheckpoints } from '../settlement/stream-checkpoints.ts';
import type { Candidate, Candidates } from '../upstream/candidates.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import type { FetchedCredentials } from '../upstream/fetched-credentials.ts';
import { type MissingCredentials, variablesOf } from '../upstream/missing-credentials.ts';
import { OVERHEAD_HEADER, overheadMs } from '../upstream/overhead.ts';
import { BreakerOpen, type ProviderBreakers } from '../upstream/provider-breakers.ts';
import {
  type ProviderCredential,
  type ProviderCredentials,
  sentAs,
} from '../upstream/provider-credentials.ts';
import type { ProviderPools } from '../upstream/provider-pools.ts';
import type { RefusedAccessLog } from '../upstream/refused-access-log.ts';
import { isEventStream } from '../upstream/relay-event-stream.ts';
import type { RetryBudget } from '../upstream/retry-budget.ts';
import { sendToProvider } from '../upstream/send-to-provider.ts';
import { UpstreamCall } from '../upstream/upstream-call.ts';

/** The status of every answer that is no error, whatever the provider calls its own. */
const OK = 200;
/** No other model is asked after so many: a record of a request lists a hundred at most. */
const MOST_ATTEMPTS = 50;
export interface ForwardContext {
  pools: ProviderPools;
  breakers: ProviderBreakers;
  retryBudget: RetryBudget;
  checkpoints: Pick<StreamCheckpoints, 'follow'>;
  refusedAccess: Pick<RefusedAccessLog, 'note'>;
  credentials: Pick<ProviderCredentials, 'inTurn' | 'isUsable'>;
  missingCredentials: Pick<MissingCredentials, 'refused'>;
  fetchedCredentials: Pick<FetchedCredentials, 'get'>;
}

/**
 * Sends the request to a provider and its answer to the client, but for the last byte. While nothing was
 * passed on, a failing provider is followed by another upstream, or tried once more where only its connection
 * failed, within the retry budget; and a failing model by the next one that may answer. Sets `record.model`,
 * `isServed`, `attempts`, `usage`, `outcome`, `clientStatus` and `clientErrorCode`.
 *
 * @throws GatewayError as in docs/wire-format.md, "Errors"; ClientGone
 */
export async function forwardRequest(
  context: ForwardContext,
  exchange: Exchange,
  candidates: Candidates,
): Promise<void> {
  const { record, stop } = exchange;
  stop.signal.throwIfAborted();
  context.retryBudget.countRequest();
  let told: Failed | undefined;
  for (;;) {
    const { current, others } = candidates;
    const attempts = record.attempts.length;
    record.hasFallbacks = others.length > 0 && attempts < MOST_ATTEMPTS;
    nameModel(exchange, current.model);
    try {
      await forwardTo(context, exchange, current);
      return;
    } catch (failure) {
      const failed = { model: current.model, failure, isAsked: record.attempts.length > attempts };
      const mayFollow = mayRepeat(exchange, current.request) && verdictOf(failure).next.includes('model');
      // What ends a request on its way is told, whatever has failed before.
      told = mayFollow ? toldOf(told, failed) : failed;
      if (!mayFollow || !record.hasFallbacks) break;
    }
    candidates.next();
    record.model = candidates.current.model;
  }
  if (told.model !== candidates.current.model) {
    record.model = told.model;
    nameModel(exchange, told.model);
  }
  endWith(exchange, candidates.current.request, told.failure);
  throw told.failure;
}

/** How one of the models has failed. */
interface Failed {
  model: RoutedModel;
  failure: unknown;
  /** Whether a provider was asked. */
  isAsked: boolean;
}

/**
 * Of the failures of several models, the one that the caller is told: that of the model that was asked last.
 * One that could not be asked at all, as it has no provider at the moment or its API lacks a field, must not
 * hide that another one may answer a moment later.
 */
function toldOf(before: Failed | undefined, failed: Failed): Failed {
  if (before === undefined || failed.isAsked) return failed;
  const lacksField = verdictOf(failed.failure).blame === 'request';
  return before.isAsked || lacksField ? before : failed;
}

function nameModel({ res }: Exchange, model: RoutedModel): void {
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

function endWith(exchange: Exchange, { answer }: CapabilityCall, failure: unknown): void {
  const { record, res } = exchange;
  record.outcome = verdictOn(failure, exchange).outcome;
  noteAnswer(exchange, failure);
  // What was delivered before the end was consumed all the same.
  record.usage = answer.usage(false);
  if (!res.headersSent) res.setHeader(OVERHEAD_HEADER, overheadMs(exchange));
  answer.fail(failure);
}

/** What the client is about to be told of a failure: the head of an answer that has begun stays as it is. */
function noteAnswer({ record, res }: Exchange, failure: unknown): void {
  const isGone = failure instanceof ClientGone;
  const error = isGone ? undefined : toGatewayError(failure);
  record.clientStatus = res.headersSent ? res.statusCode : (error?.status ?? CLIENT_CLOSED_REQUEST);
  record.clientErrorCode = error?.code;
}

async function tryUpstreams(
  context: ForwardContext,
  exchange: Exchange,
  model: RoutedModel,
  request: CapabilityCall,
): Promise<void> {
  const { record } = exchange;
  const left = new Set(model.upstreams);
  let failure: unknown;
  const shut: BreakerOpen[] = [];
  const renewed = new Set<RoutedUpstream>();
  let last: RoutedUpstream | undefined;
  // Each upstream once, and one of them once more; besides, each once with a new credential.
  for (let turn = 0; turn <= model.upstreams.length + renewed.size; turn++) {
    const { breaker, next } = verdictOf(failure);
    const again = last !== undefined && !renewed.has(last) && next.includes('renewed') ? last : undefined;
    const upstream = again ?? choose(context, model, left, next.includes('same') ? last : undefined);
    if (upstream === undefined) break;
    const reason = breaker === 'failed' ? 'provider' : 'request';
    if (again !== undefined) renewed.add(again);
    else if (failure !== undefined && !context.retryBudget.takeRetry(reason)) throw failure;
    left.delete(upstream);
    const attempts = record.attempts.length;
    try {
      await context.breakers.run(upstream.provider.id, (accepted) =>
        context.credentials.inTurn({
          provider: upstream.provider,
          model: upstream.model,
          attempt: (credential, taken) =>
            attempt(context, exchange, { upstream, credential }, request, taken),
          accepted,
          // Not even the first attempt of an upload finds out whether a credential is accepted again.
          mayRepeat: () => request.isRepeatable() && mayRepeat(exchange, request),
        }),
      );
      return;
    } catch (thrown) {
      if (thrown instanceof BreakerOpen) {
        shut.push(thrown);
        continue;
      }
      if (!mayRepeat(exchange, request) || !verdictOf(thrown).next.includes('upstream')) throw thrown;
      // What the API of one provider lacks must not hide how another one has failed.
      if (record.attempts.length > attempts) {
        failure = thrown;
        last = upstream;
      } else failure ??= thrown;
    }
  }
  // Nor must it hide that another one may be asked again in a moment.
  const isKnown = failure !== undefined && (last !== undefined || shut.length === 0);
  throw isKnown ? failure : (refusedEverywhere(shut, model) ?? unavailable(context, model));
}

function refusedEverywhere(shut: readonly BreakerOpen[], model: RoutedModel): GatewayError | undefined {
  const [first] = shut;
  if (first === undefined || shut.some(({ refusal }) => refusal === undefined)) return undefined;
  return modelRefusesGateway(model.id, first.refusal?.cause);
}

/** @param last the one that may be tried once more, where no other one is left */
function choose(
  { credentials }: ForwardContext,
  model: RoutedModel,
  left: ReadonlySet<RoutedUpstream>,
  last: RoutedUpstream | undefined,
): RoutedUpstream | undefined {
  const usable = (upstream: RoutedUpstream) => credentials.isUsable(upstream.provider);
  const fresh = pickUpstream(model, (upstream) => left.has(upstream) && usable(upstream));
  return fresh ?? (last !== undefined && usable(last) ? last : undefined);
}

async function attempt(
  context: ForwardContext,
  exchange: Exchange,
  { credential, upstream }: { upstream: RoutedUpstream; credential: ProviderCredential },
  request: CapabilityCall,
  answered: () => void,
): Promise<void> {
  const { record, stop } = exchange;
  const { model: upstreamModel, provider } = upstream;
  const call = new UpstreamCall(stop.signal);
  let asked: Asked;
  try {
    asked = await request.ask(provider.dialect, upstreamModel, call);
  } catch (failure) {
    // What cannot be asked of a provider is no attempt at it.
    call.close(false);
    throw failure;
  }
  const attempt: UpstreamAttempt = {
    providerId: provider.id,
    modelId: record.model?.id,
    upstreamModel,
    credentialEnv: credential.variable,
    startedAtMs: performance.now(),
  };
  record.isServed = true;
  record.attempts.push(attempt);
  try {
    const found = credential.source && context.fetchedCredentials.get(credential.source);
    const fetched = found instanceof Promise ? await found : found;
    const current = { attempt, call, provider, ...sentAs(credential, fetched) };
    const answer = await sendToProvider(context.pools, exchange, current, asked, request.streamed);
    answered();
    if (request.streamedIfAnswerIs) record.streamed = isEventStream(answer);
    await request.answer.pass(answer, current);
    attempt.outcome = 'completed';
    call.close(true);
  } catch (thrown) {
    const failure = call.failure(thrown);
    const verdict = verdictOn(failure, exchange);
    attempt.verdict = verdict;
    attempt.outcome = verdict.outcome;
    if (failure instanceof GatewayError) attempt.errorCode = failure.code;
    if (attempt.outcome === 'client_gone' && attempt.firstByteAtMs === undefined) {
      // The clock goes on between two looks at it: a negative wait would make the record invalid.
      attempt.silentMs = Math.max(0, performance.now() - attempt.startedAtMs - call.heldMs);
    }
    const askedAs = {
      providerId: provider.id,
      credentialEnv: credential.variable,
      source: credential.source?.name,
    };
    context.refusedAccess.note(verdict, askedAs, attempt.httpStatus);
    call.close(false);
    throw failure;
  } finally {
    attempt.endedAtMs ??= performance.now();
  }
}

/** As long as nothing was passed on, somebody waits for it, and the request is still there. */
function mayRepeat({ record, stop }: Exchange, { answer, isRepeatable }: CapabilityCall): boolean {
  if (answer.hasBegun || stop.signal.aborted) return false;
  return record.attempts.length === 0 || isRepeatable();
}

function unavailable(context: ForwardContext, model: RoutedModel): GatewayError {
  const missing = model.upstreams.filter(({ provider }) => !context.credentials.isUsable(provider));
  if (missing.length > 0 && missing.length === model.upstreams.length) return notConfigured(context, model);
  return modelUnavailable(
    model.id,
    new Error(`every provider of ${model.id} has failed too often just now, or has no credential`),
  );
}

function notConfigured(context: ForwardContext, model: RoutedModel): GatewayError {
  context.missingCredentials.refused(model);
  const variables = model.upstreams.map(
    ({ provider }) => `${variablesOf(provider).join(' or ')} for provider ${provider.id}`,
  );
  // No stack: it would be the same one for every request, however many there are.
  const cause = `no upstream of ${model.id} can be used: set ${[...new Set(variables)].join(', ')}`;
  return modelNotConfigured(model.id, cause);
}

function verdictOn(failure: unknown, { stop }: Exchange): Verdict {
  if (failure instanceof ClientGone) return VERDICTS.client_left;
  const verdict = verdictOf(failure);
  return stop.signal.aborted && verdict.outcome !== 'rejected' ? VERDICTS.interrupted : verdict;
}
