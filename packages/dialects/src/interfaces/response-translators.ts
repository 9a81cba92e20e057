import type { GatewayError } from '@model-gateway/shared';
import type { OutlineOptions } from '../json/outline-json.ts';
import type { OutlinedResponse } from '../json/outlined-response.ts';
import type { Usage } from '../usage/usage.ts';
import type { EventFraming } from './event-framing.ts';

/** What becomes of a provider's events on their way to the client. */
export interface EventTranslator {
  /**
   * @param data of one event
   * @returns complete events for the client, and whether nothing more is to come
   * @throws GatewayError 502 on what is no event of the capability
   */
  translate(data: string): { text: string; done: boolean };
  /** True if the provider may end its answer now without a word. */
  readonly mayEnd: boolean;
  /** What may be the last event, kept back until that is known: with it an answer looks complete. */
  readonly rest: string;
  /**
   * The end of an answer of a provider that has ended it without a word, in the place of `rest`: where there
   * is no event for the end, and nothing of it may go out before. Asked once, and only where `mayEnd`.
   * @throws GatewayError 502 for an answer that is not complete after all
   */
  end?(): string;
  /** What the provider has said of its failure: if it ends its answer after that, it has ended of this. */
  readonly failure?: GatewayError | undefined;
  /** The most bytes of one event, where that is more than text needs. */
  readonly maxEventBytes?: number;
  /** How events stand in the bytes of the answer; left out: as server-sent events. */
  readonly framing?: EventFraming | undefined;
}

/** What the client gets of the provider's JSON, and what the answer consumed. */
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
 * What becomes of a provider's JSON on its way to the client. Both ways come to the same; both throw
 * GatewayError (502) on what is no answer.
 */
export interface JsonTranslator {
  /** @param text `value` as it came */
  whole(value: unknown, text: string): JsonAnswer;
  /** The most bytes of an answer, where `whole` takes more than text needs. */
  maxBytes?: number | undefined;
  /** What of a large answer is looked at. Without these two an answer must be short enough to be parsed. */
  outline?: OutlineOptions;
  large?(answer: OutlinedResponse): LargeJsonAnswer;
}
