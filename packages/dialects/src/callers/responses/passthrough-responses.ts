import type { PassthroughEvent } from '../../interfaces/chat-caller.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { ResponseEvents } from './responses-events.ts';
import type { ResponseError } from './responses-failure.ts';

/** Final events of responses that did not fail. */
const GOOD_ENDS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.cancelled',
]);

/** Tracks the state of a response whose events pass unchanged. */
export class PassthroughResponse {
  #response: JsonObject | undefined;
  #hasFailed = false;
  #next = 0;

  get next(): number {
    return this.#next;
  }

  /** Ignores the final event, which is sent last: a failure before that follows the event before it. */
  track({ response, sequence, type }: PassthroughEvent): void {
    if (GOOD_ENDS.has(type)) return;
    this.#next = (sequence ?? this.#next) + 1;
    if (response !== undefined) this.#response = response;
    if (type === 'response.failed') this.#hasFailed = true;
  }

  /** @returns the final event; '' if the provider sent one; undefined: there is no response yet */
  failure(error: ResponseError): string | undefined {
    if (this.#hasFailed) return '';
    if (this.#response === undefined) return undefined;
    const events = new ResponseEvents(this.#next);
    const response = { ...this.#response, status: 'failed', error };
    events.write('response.failed', `"response":${JSON.stringify(response)}`);
    return events.take();
  }
}
