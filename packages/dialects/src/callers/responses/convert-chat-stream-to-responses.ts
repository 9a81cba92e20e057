import type { JsonObject } from '../../json/json-object.ts';
import type { Usage } from '../../usage/usage.ts';
import { ResponseEvents } from './responses-events.ts';
import type { ResponseError } from './responses-failure.ts';
import type { ResponseObject } from './responses-object.ts';
import type { OutputItems } from './responses-output-items.ts';

/** A response that is told in events. */
export class ChatStreamToResponses {
  readonly #response: ResponseObject;
  readonly #events: ResponseEvents;
  readonly #items: OutputItems;
  /** Sent so far: events, and complete items in them. */
  #told = { events: 0, items: 0 };

  /** @param items tell of themselves in `events` */
  constructor(response: ResponseObject, events: ResponseEvents, items: OutputItems) {
    this.#response = response;
    this.#events = events;
    this.#items = items;
  }

  /**
   * @param deltas of one chunk
   * @returns the events for them
   * @throws GatewayError 502 for what no answer has
   */
  write(deltas: readonly JsonObject[]): string {
    if (this.#events.next === 0) begin(this.#response, this.#events);
    for (const delta of deltas) this.#items.write(delta);
    this.#told = { events: this.#events.next, items: this.#items.complete.length };
    return this.#events.take();
  }

  /**
   * @param usage what is billed, asked for once all is told
   * @returns the last events, with all that was held
   * @throws GatewayError 502 when the answer is not complete
   */
  end(finishReason: unknown, usage: () => Usage): string {
    const state = this.#items.end(finishReason);
    const response = this.#response.json({ ...state, usage: usage() });
    this.#events.tell(`response.${state.status}`, `"response":${response}`);
    return this.#events.take();
  }

  /**
   * The last events of an answer that is not complete. What came of the last chunk, or of the end, has not
   * gone out.
   * @param next the number of the next event, where some of another kind have gone out before
   */
  failure(error: ResponseError, next: number): string {
    const events = new ResponseEvents(Math.max(next, this.#told.events));
    // Clients take no other event for the first one.
    if (this.#told.events === 0) begin(this.#response, events);
    const output = this.#items.complete.slice(0, this.#told.items);
    const response = this.#response.json({ status: 'failed', output, error });
    events.tell('response.failed', `"response":${response}`);
    return events.take();
  }
}

function begin(response: ResponseObject, events: ResponseEvents): void {
  const members = `"response":${response.json({ status: 'in_progress', output: [] })}`;
  events.tell('response.created', members);
  events.tell('response.in_progress', members);
}
