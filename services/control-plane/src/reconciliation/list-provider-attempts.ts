import type { ListProviderAttemptsRequestMessage } from '@model-gateway/contracts';
import type { PriceBook } from '../billing/price-book.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { omitAbsent } from '../omit-absent.ts';
import { parsePageQuery } from '../usage/page-query.ts';
import { encodeRequestCursor } from '../usage/request-cursor.ts';
import { unitsMessage } from '../usage/units-message.ts';
import type { ProviderAttemptStore } from './provider-attempt-store.ts';
import { type RecordedAttempt, readAttempts } from './recorded-attempt.ts';

interface ListProviderAttemptsContext {
  providerAttemptStore: Pick<ProviderAttemptStore, 'list' | 'upstreamModels'>;
  priceBook: Pick<PriceBook, 'find'>;
}

/** Returns one page of the recorded attempts at a provider. @throws ControlPlaneError invalid_argument */
export async function listProviderAttempts(
  { priceBook, providerAttemptStore: store }: ListProviderAttemptsContext,
  request: ListProviderAttemptsRequestMessage,
  signal: AbortSignal,
) {
  const { providerId } = request;
  if (providerId === '') throw invalidArgument('provider_id: is required');
  const query = { ...parsePageQuery(request), providerId };
  const rows = await store.list(query, signal);
  const attempts: RecordedAttempt[] = [];
  for (const row of rows) {
    const { attempts: tried, modelId, priceVersion } = row;
    if (tried === null) continue;
    const price = priceVersion === null ? undefined : await priceBook.find(modelId, priceVersion);
    attempts.push(...readAttempts({ ...row, attempts: tried }, providerId, price));
  }
  const last = rows.length < query.limit ? undefined : rows.at(-1);
  return {
    attempts: attempts.map(attemptMessage),
    models: query.after === undefined ? await store.upstreamModels(providerId, signal) : [],
    ...omitAbsent({
      nextPageToken:
        last && encodeRequestCursor({ endedAtMs: last.endedAt.getTime(), requestId: last.requestId }),
    }),
  };
}

function attemptMessage(attempt: RecordedAttempt) {
  const { cost, credentialEnv, maxCost, maxOutputTokens, minCost, providerRequestId, serviceTier, units } =
    attempt;
  return {
    requestId: attempt.requestId,
    startedAtMs: String(Math.round(attempt.startedAtMs)),
    endedAtMs: String(Math.round(attempt.endedAtMs)),
    requestEndedAtMs: String(attempt.requestEndedAtMs),
    modelId: attempt.modelId,
    ending: attempt.ending,
    units: unitsMessage(units),
    cost: String(cost),
    minCost: String(minCost),
    maxCost: String(maxCost),
    maxOutputTokens: String(maxOutputTokens),
    unpriced: attempt.unpriced,
    ...omitAbsent({ credentialEnv, providerRequestId, serviceTier }),
  };
}
