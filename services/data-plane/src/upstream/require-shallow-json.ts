import { causedByRequest, MAX_ANSWER_DEPTH, nestsTooDeeply } from '@model-gateway/dialects';

/** Shorter JSON is parsed however deeply it nests. */
const MIN_CHECKED_LENGTH = 64 * 1024;

/**
 * Rejects deeply nested JSON of a provider before parsing: millions of brackets would block the event loop.
 * @throws GatewayError 502 if it nests more deeply than any response does
 */
export function requireShallowJson(json: string): void {
  if (json.length > MIN_CHECKED_LENGTH && nestsTooDeeply(json, MAX_ANSWER_DEPTH))
    throw causedByRequest('what the provider sent nests too deeply');
}
