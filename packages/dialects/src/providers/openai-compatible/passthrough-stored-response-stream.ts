import type { EventTranslator } from '../../interfaces/response-translators.ts';
import { ENDS, parseResponsesEvent } from './parse-responses-event.ts';
import { MAX_RESPONSES_EVENT_BYTES } from './passthrough-responses-stream.ts';
import { type ResponseIds, replaceEventIds } from './replace-response-ids.ts';

/** Passes events of a stored response, from any event on. A failed response is no failure of this request. */
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

  /** The stream is empty if the caller asks for events after the last one. */
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
