import { isObject, type JsonObject } from '../../json/json-object.ts';
import { applyEdits, type NewMembers, withMembers, withMembersOf } from '../../json/with-members.ts';

/** Replaces the model id, and response ids by sealed ones. Item ids pass unchanged. */
export interface ResponseIds {
  modelId: string;
  /** Returns the caller's id for a provider's response id. */
  sealed(responseId: string): string;
  /** The previous response, by the caller's and by the provider's id. */
  previous?: { id: string; responseId: string } | undefined;
}

const RESPONSE = 'response';

/** @param text a JSON object; `value`: its parsed value */
export function replaceResponseIds(text: string, value: JsonObject, ids: ResponseIds): string {
  return withMembers(text, value, newMembers(value, ids));
}

/** Replaces ids in an event and in the response inside it. @param own the provider's id of the response */
export function replaceEventIds(
  data: string,
  event: JsonObject,
  own: string | undefined,
  ids: ResponseIds,
): { data: string; response: JsonObject | undefined } {
  const edits = editsOfEvent(event, own, ids);
  const line = edits === undefined ? data : withMembers(data, event, edits);
  const { response } = event;
  if (!isObject(response)) return { data: line, response: undefined };
  const value = edits === undefined ? event : applyEdits(event, edits);
  const responseEdits = newMembers(response, ids);
  return {
    data: withMembersOf(line, value, { within: RESPONSE, inner: response }, responseEdits),
    response: applyEdits(response, responseEdits),
  };
}

/** Some providers repeat ids of the response in the event itself, where `id` may be that of an item. */
function editsOfEvent(event: JsonObject, own: string | undefined, ids: ResponseIds): NewMembers | undefined {
  const { id, model, previous_response_id, response_id: responseId } = event;
  const isOwn = typeof id === 'string' && id === own;
  const isNamed = typeof responseId === 'string';
  const hasOthers = typeof model === 'string' || typeof previous_response_id === 'string';
  if (!isOwn && !isNamed && !hasOthers) return undefined;
  const edits = new Map(newMembers({ id: isOwn ? id : undefined, model, previous_response_id }, ids));
  if (isNamed) edits.set('response_id', JSON.stringify(ids.sealed(responseId)));
  return edits;
}

export function newMembers(
  { id, model, previous_response_id: before }: JsonObject,
  { modelId, previous, sealed }: ResponseIds,
): NewMembers {
  const edits = new Map<string, string>();
  if (typeof id === 'string') edits.set('id', JSON.stringify(sealed(id)));
  if (typeof model === 'string') edits.set('model', JSON.stringify(modelId));
  if (typeof before === 'string') {
    const own = before === previous?.responseId ? previous.id : sealed(before);
    edits.set('previous_response_id', JSON.stringify(own));
  }
  return edits;
}

export function replaceWithCallersId(id: string, responseId: string): (text: string) => string {
  const literal = responseId.replaceAll(/[^\w-]/g, '\\$&');
  const whole = new RegExp(`(?<![\\w-])${literal}(?![\\w-])`, 'g');
  return (text) => text.replaceAll(whole, () => id);
}
