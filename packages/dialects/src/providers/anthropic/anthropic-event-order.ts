import { causedByRequest } from '../../failures/provider-failures.ts';
import { type JsonObject, objectOr } from '../../json/json-object.ts';
import type { AnthropicEvent } from './parse-anthropic-event.ts';

/**
 * The order of the events of one message that has begun: its blocks follow one another, it says why it ends,
 * and ends. A stream from which events are missing would look like a whole answer otherwise.
 */
export class AnthropicEventOrder {
  #open: { index: unknown } | undefined;
  #hasStopReason = false;

  /** @param message of `message_start`, which may be whole: a step of programmatic tool calling is */
  begin({ stop_reason }: JsonObject): void {
    this.#hasStopReason = typeof stop_reason === 'string';
  }

  /** Events of other types may stand anywhere. @throws GatewayError 502 */
  check({ delta, index, type }: AnthropicEvent): void {
    switch (type) {
      case 'content_block_start':
        if (this.#open !== undefined || this.#hasStopReason) throw outOfOrder(type);
        this.#open = { index };
        return;
      case 'content_block_delta':
      case 'content_block_stop':
        if (this.#open === undefined || this.#open.index !== index) throw outOfOrder(type);
        if (type === 'content_block_stop') this.#open = undefined;
        return;
      case 'message_delta':
        if (this.#open !== undefined) throw outOfOrder(type);
        if (typeof objectOr(delta).stop_reason === 'string') this.#hasStopReason = true;
        return;
      case 'message_stop':
        if (this.#open !== undefined || !this.#hasStopReason) throw outOfOrder(type);
    }
  }
}

function outOfOrder(type: string): Error {
  return causedByRequest(`the provider sent ${type} out of order`);
}
