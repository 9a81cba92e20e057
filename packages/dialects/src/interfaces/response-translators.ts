import type { GatewayError } from '@model-gateway/shared';
import type { OutlineOptions } from '../json/outline-json.ts';
import type { OutlinedResponse } from '../json/outlined-response.ts';
import type { Usage } from '../usage/usage.ts';
import type { EventFraming } from './event-framing.ts';

export interface TranslatedEvents {
  text: string;
  done: boolean;
}

export const NO_EVENTS: TranslatedEvents = { text: '', done: false };

/** Translates a provider's events for the client. */
export interface EventTranslator {
  /**
   * @param data of one event
   * @throws GatewayError 502 for an invalid event
   */
  translate(data: string): TranslatedEvents;
  /** True if the stream is complete should the provider close it now. */
  readonly mayEnd: boolean;
  /**
   * Text to send before a failure: the last event, held back because with it the response looks complete;
   * or what was written of an event whose translation failed in the middle.
   */
  readonly rest: string;
  /**
   * Returns the last events of a stream without an event for its end, instead of `rest`. Called once, and
   * only if `mayEnd`. @throws GatewayError 502 for an incomplete response
   */
  end?(): string;
  /** The failure that the provider reported, which explains an early end. */
  readonly failure?: GatewayError | undefined;
  /** Maximum size of one event, if more than MAX_EVENT_BYTES. */
  readonly maxEventBytes?: number;
  /** Left out: server-sent events. */
  readonly framing?: EventFraming | undefined;
}

export interface JsonAnswer {
  /** JSON text, or a value to serialize. */
  body: string | object;
  /** Undefined: the response is free at every provider. */
  usage: Usage | undefined;
}

export interface LargeJsonAnswer {
  pieces: Buffer[];
  usage: Usage | undefined;
}

/**
 * Translates a provider's JSON for the client. Both methods give the same result, and throw GatewayError
 * (502) on invalid responses.
 */
export interface JsonTranslator {
  /** @param text the bytes that `value` was parsed from */
  whole(value: unknown, text: string): JsonAnswer;
  /** Maximum size for `whole`, where text needs less. */
  maxBytes?: number | undefined;
  /** The parts of a large response to read. Without these two, a response must be short enough to parse. */
  outline?: OutlineOptions | undefined;
  large?: ((answer: OutlinedResponse) => LargeJsonAnswer) | undefined;
}
