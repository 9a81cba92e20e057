import type { GatewayError } from '@model-gateway/shared';
import type { JsonObject } from '../json/json-object.ts';
import type { OutlinedResponse } from '../json/outlined-response.ts';
import type { CountedUsage } from '../usage/counted-usage.ts';
import type { ChatResponse } from '../usage/parse-chat-response.ts';
import type { JsonAnswer, LargeJsonAnswer } from './response-translators.ts';

/** Takes a response in the form of Chat Completions, counts it, and writes it in the caller's API. */
export interface ChatCaller {
  /** Starts over with another response. Nothing of the last one was sent. */
  restart(): void;
  /**
   * @param text the provider's JSON of this chunk, if it is in this form already
   * @returns complete events for the client, or ''
   */
  chunk(chunk: ChatResponse, text?: string): string;
  /** Returns the last events of a complete stream. */
  end(): string;
  /** @param text as in `chunk` */
  completion(completion: ChatResponse, text?: string): JsonAnswer;
  /** Replaces any `usage` of the response. Must be called before `completion`. */
  count(usage: CountedUsage): void;
  /** Reports the provider's word for its service tier. */
  reportTier(tier: unknown): void;
  /** Returns the last event of a broken stream. Left out: the usual error event of the caller's API. */
  failure?(error: GatewayError, requestId: string): string;
}

export interface ChatCompletionsCaller extends ChatCaller {
  /** Takes a large response of a provider of the same API. @throws GatewayError 502 for anything else */
  large(answer: OutlinedResponse): LargeJsonAnswer;
}

/** Responses of providers of Messages pass unchanged. */
export interface MessagesCaller extends ChatCaller {
  /** @param data with the gateway's model id; `written`: output to count */
  passEvent(type: string, data: string, written: unknown): string;
  /** @param text of a whole response, with the gateway's model id */
  passMessage(text: string, written: unknown): JsonAnswer;
  /** Takes a large response in pieces. @param written the output, or its length */
  passLarge(pieces: Buffer[], written: unknown): LargeJsonAnswer;
}

/** An event of Responses with the gateway's model id and the caller's response id. */
export interface PassthroughEvent {
  type: string;
  /** JSON in one line. */
  data: string;
  /** `sequence_number`; some providers send none. */
  sequence: number | undefined;
  response: JsonObject | undefined;
}

/** Responses of providers of the same API pass unchanged. */
export interface ResponsesCaller extends ChatCaller {
  sealed(providerId: string, responseId: string): string;
  passEvent(event: PassthroughEvent, written: unknown): string;
  /** @param text of a whole response, with both ids replaced */
  passResponse(text: string, written: unknown): JsonAnswer;
  /** @param written the output, or its length */
  passLarge(pieces: Buffer[], written: unknown): LargeJsonAnswer;
  failure(error: GatewayError, requestId: string): string;
}
