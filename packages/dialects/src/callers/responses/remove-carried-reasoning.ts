import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { TranslatedRequest } from '../../translation/translation.ts';
import { isCarriedState } from '../carried-state.ts';

/** Removes reasoning of other providers, which a provider of Responses cannot decrypt and refuses. */
export function removeCarriedReasoning(request: JsonObject): TranslatedRequest {
  if (!Array.isArray(request.input)) return { request, ignored: [] };
  const input = request.input.filter(
    (item) => !(isObject(item) && item.type === 'reasoning' && isCarriedState(item.encrypted_content)),
  );
  if (input.length === request.input.length) return { request, ignored: [] };
  return { request: { ...request, input }, ignored: ['input[].encrypted_content'] };
}
