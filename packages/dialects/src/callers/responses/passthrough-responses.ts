import type { PassedResponseEvent } from '../../interfaces/chat-caller.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { ResponseEvents } from './responses-events.ts';
import type { ResponseError } from './responses-failure.ts';

/** The events with which a response ends that has not failed. */
const GOOD_ENDS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.cancelled',
]);

/** How far a response has come whose events pass as its provider sends them. */
export class PassthroughResponse {
  #response: JsonObject | undefined;
  #hasFailed = false;
  #next = 0;

  get next(): number {
    return this.#next;
  }

  /** The last event goes out when all else is done: what fails before that follows the event before it. */
  note({ response, sequence, type }: PassedResponseEvent): void {
    if (GOOD_ENDS.has(type)) return;
    this.#next = (sequence ?? this.#next) + 1;
    if (response !== undefined) this.#response = response;
    if (type === 'response.failed') this.#hasFailed = true;
  }

  /**
   * @returns the event that ends it; none where its provider has said itself that it has failed; undefined:
   *   there is no response yet
   */
  failure(error: ResponseError): string | undefined {
    if (this.#hasFailed) return '';
    if (this.#response === undefined) return undefined;
    const events = new ResponseEvents(this.#next);
    const response = { ...this.#response, status: 'failed', error };
    events.tell('response.failed', `"response":${JSON.stringify(response)}`);
    return events.take();
  }
}
