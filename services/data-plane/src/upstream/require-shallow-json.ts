import { causedByRequest, MAX_ANSWER_DEPTH, nestsTooDeeply } from '@model-gateway/dialects';

/** Shorter JSON is parsed at once, however deeply it nests. */
const LONG = 64 * 1024;

/**
 * Checks what a provider has sent before it is parsed: millions of brackets would hold up everybody.
 * @throws GatewayError 502 when it nests more deeply than any answer does
 */
export function requireShallowJson(json: string): void {
  if (json.length > LONG && nestsTooDeeply(json, MAX_ANSWER_DEPTH))
    throw causedByRequest('what the provider sent nests too deeply');
}
