import type { JsonObject } from '../../json/json-object.ts';
import { numberAt, textsAt } from '../../translation/field-values.ts';

/**
 * Reads the bound of the output. `max_completion_tokens` takes precedence.
 * @param maxOutputTokens of the model. Providers refuse more, and clients ask for what other models write.
 */
export function readMaxTokens(request: JsonObject, maxOutputTokens = Infinity): number | undefined {
  const name = request.max_completion_tokens === undefined ? 'max_tokens' : 'max_completion_tokens';
  return request[name] === undefined ? undefined : Math.min(numberAt(request[name], name), maxOutputTokens);
}

export function readStops(stop: unknown): string[] {
  return typeof stop === 'string' ? [stop] : textsAt(stop ?? [], 'stop');
}
