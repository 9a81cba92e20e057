import type {
  ChatCompletionsRequest,
  CountTokensRequest,
  MessagesRequest,
  ResponsesRequest,
} from '@model-gateway/shared';
import type { JsonBody } from '../json/json-body.ts';
import type { Translation } from '../translation/translation.ts';
import type { BackgroundNote } from './background-note.ts';
import type { ChatCompletionsCaller, MessagesCaller, ResponsesCaller } from './chat-caller.ts';
import type { ProviderBody } from './provider-body.ts';

/** A request that was translated, as a provider is sent it. */
export interface WrittenRequest {
  body: ProviderBody;
  ignored: readonly string[];
}

/** A model as callers know it: for messages to them, and the length of an answer that has no bound. */
export interface AskedModel {
  id: string;
  maxOutputTokens: number | undefined;
}

/** Members of every chat, in any API. */
interface AnyChat {
  model: AskedModel;
  /**
   * The whole request for a provider of another API; of a large one a promise, because it waits for its turn.
   * @param translation from the shape of Chat Completions, with the members that docs/wire-format.md adds to
   *   it; undefined: the provider takes that shape
   * @throws GatewayError 400 that names a field which cannot be expressed; 503 without room for it
   */
  written(upstreamModel: string, translation?: Translation): WrittenRequest | Promise<WrittenRequest>;
}

/** A request for a provider of the caller's own API. */
export interface PassedRequest<Value> {
  body: JsonBody<Value>;
  /** Fields left out because they were meant for providers of other APIs. */
  ignored: readonly string[];
}

/** A chat in an API in which the gateway keeps something for providers of other APIs. */
interface PassedChat<Value> {
  /** For a provider of the same API: `body`, but for what it would refuse of that. */
  passed(): PassedRequest<Value> | Promise<PassedRequest<Value>>;
}

/**
 * One chat: what a caller asks for, in its own API, and how it is told the answer. A provider that speaks the
 * same API gets what is `passed`, or the bytes of the body; all others get what is `written`.
 */
export type Chat = AnyChat &
  (
    | { api: 'chat-completions'; body: JsonBody<ChatCompletionsRequest>; caller: ChatCompletionsCaller }
    | (PassedChat<MessagesRequest> & {
        api: 'messages';
        body: JsonBody<MessagesRequest>;
        caller: MessagesCaller;
        /** True if the caller's URL asks for the beta of that API. */
        beta: boolean;
        /** The betas that the caller's head asks for. */
        betas: readonly string[];
      })
    | (PassedChat<ResponsesRequest> & {
        api: 'responses';
        body: JsonBody<ResponsesRequest>;
        caller: ResponsesCaller;
        /** The provider's own id of the response that the request goes on from. */
        previousResponseId: string | undefined;
        /** Undefined: what it uses after its answer is nobody's concern. */
        background?: BackgroundNote | undefined;
      })
  );

export type ChatApi = Chat['api'];

/** A request of Messages whose tokens are asked for. */
export interface CountedPrompt extends Pick<AnyChat, 'written'>, PassedChat<CountTokensRequest> {
  body: JsonBody<CountTokensRequest>;
  /** These two as of a chat in that API. */
  beta: boolean;
  betas: readonly string[];
}
