import type { GatewayError } from '@model-gateway/shared';
import type { JsonObject } from '../json/json-object.ts';
import type { OutlinedResponse } from '../json/outlined-response.ts';
import type { CountedUsage } from '../usage/counted-usage.ts';
import type { ChatResponse } from '../usage/parse-chat-response.ts';
import type { JsonAnswer, LargeJsonAnswer } from './response-translators.ts';

/**
 * The caller's side of one chat. Whatever a provider speaks, its answer is told here in the shape of Chat
 * Completions; this side counts what it delivers, and writes it in the API of the caller.
 */
export interface ChatCaller {
  /** Another answer begins, and nothing of the one before it has gone out. */
  restart(): void;
  /**
   * A chunk of an answer in events.
   * @param text the data of a provider's event that was this chunk already: it need not be written anew
   * @returns complete events for the client; none where nothing of it is for the client
   */
  chunk(chunk: ChatResponse, text?: string): string;
  /** The last event of an answer that is complete. */
  end(): string;
  /** @param text as of `chunk`, the text of the answer */
  completion(completion: ChatResponse, text?: string): JsonAnswer;
  /** Billed instead of any `usage` in the shape of Chat Completions. To be called before `completion`. */
  count(usage: CountedUsage): void;
  /**
   * The event that ends an incomplete stream, where that says how far the answer has come. Without it, that
   * of the caller's API.
   */
  failure?(error: GatewayError, requestId: string): string;
}

export interface ChatCompletionsCaller extends ChatCaller {
  /** A large answer of a provider of the same API. @throws GatewayError 502 when it is none */
  large(answer: OutlinedResponse): LargeJsonAnswer;
}

/** A caller of Messages. Answers of providers of the same API pass by it as they came. */
export interface MessagesCaller extends ChatCaller {
  /**
   * @param data of the event, under the gateway's model id
   * @param written what the model has written in it, to be counted
   * @returns the event for the client
   */
  passEvent(type: string, data: string, written: unknown): string;
  /** @param text of a whole answer, under the gateway's model id; `written`: as of `passEvent` */
  passMessage(text: string, written: unknown): JsonAnswer;
  /**
   * The same for a large answer.
   * @param written may be the length of a content that is too long to be read
   */
  passLarge(pieces: Buffer[], written: unknown): LargeJsonAnswer;
}

/** An event of a provider of Responses, under the gateway's model id and the caller's id of the response. */
export interface PassedResponseEvent {
  type: string;
  /** JSON in one line. */
  data: string;
  /** Its `sequence_number`; undefined: the provider numbers no events. */
  sequence: number | undefined;
  /** The whole response as of this event, where it has one. */
  response: JsonObject | undefined;
}

/** A caller of Responses. Answers of providers of the same API pass by it as they came. */
export interface ResponsesCaller extends ChatCaller {
  sealed(providerId: string, responseId: string): string;
  /**
   * @param written what the model has written in it, to be counted
   * @returns the event for the client
   */
  passEvent(event: PassedResponseEvent, written: unknown): string;
  /** @param text of a whole answer, with both ids replaced; `written`: as of `passEvent` */
  passResponse(text: string, written: unknown): JsonAnswer;
  /**
   * The same for a large answer.
   * @param written may be the length of an output that is too long to be read
   */
  passLarge(pieces: Buffer[], written: unknown): LargeJsonAnswer;
  failure(error: GatewayError, requestId: string): string;
}
