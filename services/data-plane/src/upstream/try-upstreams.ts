import { verdictOf } from '@model-gateway/dialects';
import type { GatewayError } from '@model-gateway/shared';
import { modelNotConfigured, modelRefusesGateway, modelUnavailable } from '@model-gateway/shared/errors';
import type { RoutedModel, RoutedUpstream } from '../catalog/model-table.ts';
import { pickUpstream } from '../catalog/pick-upstream.ts';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import { payerIdOf } from '../keys/key-context.ts';
import { type AttemptContext, attemptRequest } from './attempt-request.ts';
import type { CapabilityCall } from './capability-call.ts';
import { type MissingCredentials, variablesOf } from './missing-credentials.ts';
import { BreakerOpen, type ProviderBreakers } from './provider-breakers.ts';
import type { ProviderCredentials } from './provider-credentials.ts';
import type { RetryBudget } from './retry-budget.ts';

export interface UpstreamsContext extends AttemptContext {
  breakers: ProviderBreakers;
  retryBudget: RetryBudget;
  credentials: Pick<ProviderCredentials, 'tryCredentials' | 'isUsable'>;
  missingCredentials: Pick<MissingCredentials, 'refused'>;
}

/**
 * Sends a request to the upstreams of a model, one after the other, until one has responded.
 * @throws GatewayError of the last attempt; ClientGone
 */
export async function tryUpstreams(
  context: UpstreamsContext,
  exchange: AuthenticatedExchange,
  model: RoutedModel,
  request: CapabilityCall,
): Promise<void> {
  const { record } = exchange;
  const payerId = payerIdOf(record.key);
  const affinity = model.affinity === 'none' ? undefined : record.affinityKey;
  const untried = [...model.upstreams];
  const usable = ({ provider }: RoutedUpstream) => context.credentials.isUsable(provider);
  let failure: unknown;
  const openBreakers: BreakerOpen[] = [];
  const renewed: RoutedUpstream[] = [];
  let last: RoutedUpstream | undefined;
  // Try each upstream once, one of them twice if no other is left, and each once more with a renewed
  // credential.
  for (let tries = 0; tries <= model.upstreams.length + renewed.length; tries++) {
    const { breaker, next } = verdictOf(failure);
    const renewedLast =
      last !== undefined && !renewed.includes(last) && next.includes('renewed') ? last : undefined;
    const upstream =
      renewedLast ??
      pickUpstream(model, (each) => untried.includes(each) && usable(each), affinity) ??
      (next.includes('same') && last !== undefined && usable(last) ? last : undefined);
    if (upstream === undefined) break;
    const reason = breaker === 'failed' || breaker === 'failed_for_all' ? 'provider' : 'request';
    if (renewedLast !== undefined) renewed.push(renewedLast);
    else if (failure !== undefined && !context.retryBudget.takeRetry(payerId, reason)) throw failure;
    if (untried.includes(upstream)) untried.splice(untried.indexOf(upstream), 1);
    const counted = context.breakers.begin(upstream, payerId);
    if (counted instanceof BreakerOpen) {
      openBreakers.push(counted);
      continue;
    }
    const attempts = record.attempts.length;
    try {
      await context.credentials.tryCredentials({
        provider: upstream.provider,
        model: upstream.model,
        affinity,
        attempt: (credential, accepted) =>
          attemptRequest(context, exchange, { upstream, credential }, request, accepted),
        accepted: () => counted.answered(),
        // An upload must not test a resting credential.
        mayRepeat: () => request.isRepeatable() && mayRepeat(exchange, request),
      });
      counted.completed();
      return;
    } catch (thrown) {
      counted.failed(thrown);
      if (!mayRepeat(exchange, request) || !verdictOf(thrown).next.includes('upstream')) throw thrown;
      // Prefer a real failure to "this provider lacks the field".
      if (record.attempts.length > attempts) {
        failure = thrown;
        last = upstream;
      } else failure ??= thrown;
    }
  }
  // Prefer "try again soon" (open breaker) to "this provider lacks the field".
  const hasFailure = failure !== undefined && (last !== undefined || openBreakers.length === 0);
  throw hasFailure
    ? failure
    : (credentialsRefusedEverywhere(openBreakers, model) ?? unavailable(context, model));
}

function credentialsRefusedEverywhere(
  openBreakers: readonly BreakerOpen[],
  model: RoutedModel,
): GatewayError | undefined {
  const [first] = openBreakers;
  if (first === undefined || openBreakers.some(({ refusal }) => refusal === undefined)) return undefined;
  return modelRefusesGateway(model.id, first.refusal?.cause);
}

/**
 * Returns true if another attempt may follow: nothing was relayed, the client is there, and the body can be
 * sent again.
 */
export function mayRepeat({ record, stop }: Exchange, { answer, isRepeatable }: CapabilityCall): boolean {
  if (answer.hasBegun || stop.signal.aborted) return false;
  return record.attempts.length === 0 || isRepeatable();
}

function unavailable(context: UpstreamsContext, model: RoutedModel): GatewayError {
  const missing = model.upstreams.filter(({ provider }) => !context.credentials.isUsable(provider));
  if (missing.length > 0 && missing.length === model.upstreams.length) return notConfigured(context, model);
  return modelUnavailable(
    model.id,
    new Error(`every provider of ${model.id} has failed too often just now, or has no credential`),
  );
}

function notConfigured(context: UpstreamsContext, model: RoutedModel): GatewayError {
  context.missingCredentials.refused(model);
  const variables = model.upstreams.map(
    ({ provider }) => `${variablesOf(provider).join(' or ')} for provider ${provider.id}`,
  );
  // A string instead of an Error, whose stack would be the same for every request.
  const cause = `no upstream of ${model.id} can be used: set ${[...new Set(variables)].join(', ')}`;
  return modelNotConfigured(model.id, cause);
}
