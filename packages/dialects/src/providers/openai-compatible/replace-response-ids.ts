import { isObject, type JsonObject } from '../../json/json-object.ts';
import { edited, type NewMembers, withMembers, withMembersOf } from '../../json/with-members.ts';

/**
 * The caller's names in a response: the gateway's model id, and ids that nobody else can use. Everything
 * else, item ids included, passes unchanged.
 */
export interface ResponseIds {
  modelId: string;
  /** Returns the caller's id for a provider's response id. */
  sealed(responseId: string): string;
  /** The turn before, under the id that the caller has sent, and that of the provider. */
  previous?: { id: string; responseId: string } | undefined;
}

const RESPONSE = 'response';

/** A whole response. @param text a JSON object; `value`: what it says */
export function replaceResponseIds(text: string, value: JsonObject, ids: ResponseIds): string {
  return withMembers(text, value, newMembers(value, ids));
}

/**
 * The data of an event, and the whole response in it, if it has one.
 * @param own the provider's id of the response that the event is of, as far as it is known
 */
export function replaceEventIds(
  data: string,
  event: JsonObject,
  own: string | undefined,
  ids: ResponseIds,
): { data: string; response: JsonObject | undefined } {
  const beside = besideResponse(event, own, ids);
  const line = beside === undefined ? data : withMembers(data, event, beside);
  const { response } = event;
  if (!isObject(response)) return { data: line, response: undefined };
  const value = beside === undefined ? event : edited(event, beside);
  const edits = newMembers(response, ids);
  return {
    data: withMembersOf(line, value, { within: RESPONSE, inner: response }, edits),
    response: edited(response, edits),
  };
}

/**
 * New values for what some providers say of the response in the event itself. Its `id` may be that of an
 * item, which passes.
 * @returns undefined for none
 */
function besideResponse(
  event: JsonObject,
  own: string | undefined,
  ids: ResponseIds,
): NewMembers | undefined {
  const { id, model, previous_response_id, response_id: responseId } = event;
  const isOwn = typeof id === 'string' && id === own;
  const isNamed = typeof responseId === 'string';
  const hasOthers = typeof model === 'string' || typeof previous_response_id === 'string';
  if (!isOwn && !isNamed && !hasOthers) return undefined;
  const edits = new Map(newMembers({ id: isOwn ? id : undefined, model, previous_response_id }, ids));
  if (isNamed) edits.set('response_id', JSON.stringify(ids.sealed(responseId)));
  return edits;
}

/** New values for the members that a response has; others are not added. */
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

/** Puts the id of a response that its caller knows into a text of the provider, which knows it by its own. */
export function replaceWithCallersId(id: string, responseId: string): (text: string) => string {
  const literal = responseId.replaceAll(/[^\w-]/g, '\\$&');
  const whole = new RegExp(`(?<![\\w-])${literal}(?![\\w-])`, 'g');
  return (text) => text.replaceAll(whole, () => id);
}
