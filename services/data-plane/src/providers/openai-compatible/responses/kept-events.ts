import { isObject } from '../../../translation/json-object.ts';
import type { EventTranslator } from '../../answer-translators.ts';
import { eventWith, type OwnIds } from './own-ids.ts';
import { MAX_EVENT_BYTES } from './passed-events.ts';
import { ENDS, parseResponseEvent } from './response-event.ts';

/**
 * The events of a response that a provider keeps, from any of them on: they pass as they came, but for the
 * ids. That the response has failed is no failure of this answer.
 */
export class KeptEvents implements EventTranslator {
  readonly rest = '';
  readonly maxEventBytes = MAX_EVENT_BYTES;
  readonly #ids: OwnIds;
  #hasBegun = false;

  constructor(ids: OwnIds) {
    this.#ids = ids;
  }

  /** A caller may ask for what comes after the last event: there is nothing. */
  get mayEnd(): boolean {
    return !this.#hasBegun;
  }

  translate(data: string): { text: string; done: boolean } {
    const event = parseResponseEvent(data);
    this.#hasBegun = true;
    const line = data.includes('\n') ? JSON.stringify(event) : data;
    const passed = isObject(event.response) ? eventWith(line, event, event.response, this.#ids).data : line;
    return { text: `event: ${event.type}\ndata: ${passed}\n\n`, done: ENDS.has(event.type) };
  }
}
