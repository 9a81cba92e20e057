import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { TranslatedRequest } from '../../translation/translation.ts';
import { isCarriedState } from '../carried-state.ts';

/**
 * A request of Responses for a provider of that API: without the reasoning of models of other providers,
 * which it refuses, because it has not encrypted it.
 */
export function removeCarriedReasoning(request: JsonObject): TranslatedRequest {
  if (!Array.isArray(request.input)) return { request, ignored: [] };
  const input = request.input.filter(
    (item) => !(isObject(item) && item.type === 'reasoning' && isCarriedState(item.encrypted_content)),
  );
  if (input.length === request.input.length) return { request, ignored: [] };
  return { request: { ...request, input }, ignored: ['input[].encrypted_content'] };
}
