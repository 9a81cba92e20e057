import type { JsonObject } from '../../json/json-object.ts';
import { numberAt, textsAt } from '../../translation/field-values.ts';

/** Reads the bound of the output. `max_completion_tokens` takes precedence. */
export function readMaxTokens(request: JsonObject): number | undefined {
  const name = request.max_completion_tokens === undefined ? 'max_tokens' : 'max_completion_tokens';
  return request[name] === undefined ? undefined : numberAt(request[name], name);
}

export function readStops(stop: unknown): string[] {
  return typeof stop === 'string' ? [stop] : textsAt(stop ?? [], 'stop');
}
