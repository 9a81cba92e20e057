import type { ErrorCode } from './error-codes.ts';
import type { GatewayError } from './gateway-error.ts';
import { changed } from './provider-errors.ts';

/** Messages that replace those with a provider's own words, which may name it. */
const PLAIN: Partial<Record<ErrorCode, string>> = {
  upstream_rejected: 'The model provider rejected the request.',
  context_length_exceeded: 'The conversation is longer than the model can read. Shorten it.',
  upstream_error: 'The model provider failed to answer properly. Retry the request, or use another model.',
  upstream_rate_limited: 'The model provider is limiting requests at the moment. Retry later.',
  upstream_timeout: 'The model provider did not answer in time. Retry the request.',
  not_found: 'The model provider does not have what the request refers to.',
};

/** Returns the error without a provider's name and words. Its code, status and headers stay. */
export function hideUpstream(error: GatewayError): GatewayError {
  const isOfProvider = error.verdict !== undefined || error.report !== undefined;
  const plain = isOfProvider ? PLAIN[error.code] : undefined;
  const message = plain ?? error.message.replaceAll(/ provider "[^"]*"/g, ' provider');
  if (message === error.message && error.providersBody === undefined) return error;
  return changed(error, { providersBody: undefined }, message);
}

/** Replaces providers' names in the attempts of a receipt by numbers, and removes their words. */
export function hideUpstreams<Attempt extends { provider: string; error: string | null }>(
  attempts: readonly Attempt[],
): Attempt[] {
  const names = [...new Set(attempts.map(({ provider }) => provider))];
  return attempts.map((attempt) => ({
    ...attempt,
    provider: `upstream-${names.indexOf(attempt.provider) + 1}`,
    error: null,
  }));
}
