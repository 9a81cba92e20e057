import type { GatewayError } from '@model-gateway/shared';
import type { OutlineOptions } from '../json/outline-json.ts';
import type { OutlinedResponse } from '../json/outlined-response.ts';
import type { Usage } from '../usage/usage.ts';
import type { EventFraming } from './event-framing.ts';

/** Complete events for the client, and whether nothing more is to come. */
export interface TranslatedEvents {
  text: string;
  done: boolean;
}

export const NO_EVENTS: TranslatedEvents = { text: '', done: false };

/** Translates a provider's events for the client. */
export interface EventTranslator {
  /**
   * @param data of one event
   * @throws GatewayError 502 on what is no event of the capability
   */
  translate(data: string): TranslatedEvents;
  /** True if the provider may end its answer now without a word. */
  readonly mayEnd: boolean;
  /** Held-back text that may be the last event: with it the response looks complete. */
  readonly rest: string;
  /**
   * The end of an answer of a provider that has ended it without a word, in the place of `rest`: where there
   * is no event for the end, and nothing of it may go out before. Asked once, and only where `mayEnd`.
   * @throws GatewayError 502 for an answer that is not complete after all
   */
  end?(): string;
  /** The failure that the provider has reported. If the response ends now, it ended because of this. */
  readonly failure?: GatewayError | undefined;
  /** The most bytes of one event, where that is more than text needs. */
  readonly maxEventBytes?: number;
  /** How events stand in the bytes of the answer; left out: as server-sent events. */
  readonly framing?: EventFraming | undefined;
}

/** The client's JSON, and the usage of the response. */
export interface JsonAnswer {
  /** As text where that is at hand, else a value to be written. */
  body: string | object;
  /** Undefined: it is an answer that is free everywhere. */
  usage: Usage | undefined;
}

/** The same for a large answer, in pieces. */
export interface LargeJsonAnswer {
  pieces: Buffer[];
  usage: Usage | undefined;
}

/**
 * Translates a provider's JSON for the client. Both methods give the same result, and throw GatewayError
 * (502) on invalid responses.
 */
export interface JsonTranslator {
  /** @param text `value` as it came */
  whole(value: unknown, text: string): JsonAnswer;
  /** The most bytes of an answer, where `whole` takes more than text needs. */
  maxBytes?: number | undefined;
  /** The parts of a large response to read. Without these two, a response must be short enough to parse. */
  outline?: OutlineOptions;
  large?(answer: OutlinedResponse): LargeJsonAnswer;
}
