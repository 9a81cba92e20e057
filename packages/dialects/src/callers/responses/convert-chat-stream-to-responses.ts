import type { JsonObject } from '../../json/json-object.ts';
import type { Usage } from '../../usage/usage.ts';
import { ResponseEvents } from './responses-events.ts';
import type { ResponseError } from './responses-failure.ts';
import type { ResponseObject } from './responses-object.ts';
import type { OutputItems } from './responses-output-items.ts';

export class ChatStreamToResponses {
  readonly #response: ResponseObject;
  readonly #events: ResponseEvents;
  readonly #items: OutputItems;
  /** Sent so far: events, and complete items in them. */
  #sent = { events: 0, items: 0 };

  constructor(response: ResponseObject, events: ResponseEvents, items: OutputItems) {
    this.#response = response;
    this.#events = events;
    this.#items = items;
  }

  write(deltas: readonly JsonObject[]): string {
    if (this.#events.next === 0) begin(this.#response, this.#events);
    for (const delta of deltas) this.#items.write(delta);
    this.#sent = { events: this.#events.next, items: this.#items.complete.length };
    return this.#events.take();
  }

  /** @param usage called after the last item. @throws GatewayError 502 for an incomplete response */
  end(finishReason: unknown, usage: () => Usage): string {
    const state = this.#items.end(finishReason);
    const response = this.#response.json({ ...state, usage: usage() });
    this.#events.write(`response.${state.status}`, `"response":${response}`);
    return this.#events.take();
  }

  /**
   * Returns the last events of an incomplete response. Events of the last `write` or `end` were not sent.
   * @param next number of the next event after passthrough events
   */
  failure(error: ResponseError, next: number): string {
    const events = new ResponseEvents(Math.max(next, this.#sent.events));
    // Clients require this event first.
    if (this.#sent.events === 0) begin(this.#response, events);
    const output = this.#items.complete.slice(0, this.#sent.items);
    const response = this.#response.json({ status: 'failed', output, error });
    events.write('response.failed', `"response":${response}`);
    return events.take();
  }
}

function begin(response: ResponseObject, events: ResponseEvents): void {
  const members = `"response":${response.json({ status: 'in_progress', output: [] })}`;
  events.write('response.created', members);
  events.write('response.in_progress', members);
}
