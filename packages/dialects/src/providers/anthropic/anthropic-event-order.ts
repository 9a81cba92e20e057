import { causedByRequest } from '../../failures/provider-failures.ts';
import { type JsonObject, objectOr } from '../../json/json-object.ts';
import type { AnthropicEvent } from './parse-anthropic-event.ts';

/** Checks the order of events after `message_start`: a stream that lost events must not look complete. */
export class AnthropicEventOrder {
  #open: { index: unknown } | undefined;
  #hasStopReason = false;

  /** @param message complete already for a step of programmatic tool calling */
  begin({ stop_reason }: JsonObject): void {
    this.#hasStopReason = typeof stop_reason === 'string';
  }

  /** Other types are allowed anywhere. @throws GatewayError 502 */
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
