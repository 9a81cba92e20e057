import type { EventTranslator } from '../../interfaces/response-translators.ts';
import { ENDS, parseResponsesEvent } from './parse-responses-event.ts';
import { MAX_RESPONSES_EVENT_BYTES } from './passthrough-responses-stream.ts';
import { type ResponseIds, replaceEventIds } from './replace-response-ids.ts';

/**
 * The events of a response that a provider keeps, from any of them on: they pass as they came, but for the
 * ids. That the response has failed is no failure of this answer.
 */
export class StoredResponseStream implements EventTranslator {
  readonly rest = '';
  readonly maxEventBytes = MAX_RESPONSES_EVENT_BYTES;
  readonly #responseId: string;
  readonly #ids: ResponseIds;
  #hasBegun = false;

  /** @param responseId the provider's id of the response */
  constructor(responseId: string, ids: ResponseIds) {
    this.#responseId = responseId;
    this.#ids = ids;
  }

  /** A caller may ask for what comes after the last event: there is nothing. */
  get mayEnd(): boolean {
    return !this.#hasBegun;
  }

  translate(data: string): { text: string; done: boolean } {
    const { event, line } = parseResponsesEvent(data);
    this.#hasBegun = true;
    const passed = replaceEventIds(line, event, this.#responseId, this.#ids).data;
    return { text: `event: ${event.type}\ndata: ${passed}\n\n`, done: ENDS.has(event.type) };
  }
}
