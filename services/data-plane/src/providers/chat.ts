import type { ChatCompletionsRequest, CountTokensRequest, MessagesRequest } from '@model-gateway/shared';
import type { JsonBody } from '../json/json-body.ts';
import type { ChatCompletionsCaller, MessagesCaller } from './chat-caller.ts';

/** A JSON object whose members are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A request that was translated from one API to another. */
export interface TranslatedRequest {
  request: JsonObject;
  /** The fields that were left out, because they only tune or tag and the other API lacks them. */
  ignored: string[];
}

/** A model as callers know it: for messages to them, and the length of an answer that has no bound. */
export interface AskedModel {
  id: string;
  maxOutputTokens: number | undefined;
}

/** What every chat has, in whichever API it is asked. */
interface AnyChat {
  model: AskedModel;
  /**
   * The whole request in the shape of Chat Completions, with the members that docs/wire-format.md adds to it.
   * @throws GatewayError 400 that names a field which that shape cannot express
   */
  completions(): TranslatedRequest;
}

/**
 * One chat: what a caller asks for, in its own API, and how it is told the answer. A provider that speaks the
 * same API gets the bytes of the body; all others start from `completions`.
 */
export type Chat = AnyChat &
  (
    | { api: 'chat-completions'; body: JsonBody<ChatCompletionsRequest>; caller: ChatCompletionsCaller }
    | {
        api: 'messages';
        body: JsonBody<MessagesRequest>;
        caller: MessagesCaller;
        /** Whether the caller's URL asks for the beta of that API. */
        beta: boolean;
      }
  );

/** A request of Messages whose tokens are asked for. */
export interface CountedPrompt {
  body: JsonBody<CountTokensRequest>;
  /** As of a chat in that API. */
  beta: boolean;
}
