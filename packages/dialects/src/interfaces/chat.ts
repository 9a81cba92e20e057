import type {
  ChatCompletionsRequest,
  CompletionsRequest,
  CountTokensRequest,
  MessagesRequest,
  ResponsesRequest,
} from '@model-gateway/shared';
import type { JsonBody } from '../json/json-body.ts';
import type { Translation } from '../translation/translation.ts';
import type { BackgroundNote } from './background-note.ts';
import type { ChatCompletionsCaller, MessagesCaller, ResponsesCaller } from './chat-caller.ts';
import type { ProviderBody } from './provider-body.ts';

export interface TranslatedBody {
  body: ProviderBody;
  ignored: readonly string[];
}

/** The model for error messages, and the limit for requests without one. */
export interface RequestedModel {
  id: string;
  maxOutputTokens: number | undefined;
}

/** Members of every chat, in any API. */
interface AnyChat {
  model: RequestedModel;
  /**
   * Translates the request; a large one waits in a queue, so the result is a promise.
   * @param translation from Chat Completions; undefined: the provider has that API
   * @throws GatewayError 400 that names a field which cannot be expressed; 503 without memory for it
   */
  translate(upstreamModel: string, translation?: Translation): TranslatedBody | Promise<TranslatedBody>;
}

/** A request for a provider of the caller's own API. */
export interface PassthroughBody<Value> {
  body: JsonBody<Value>;
  /** Names of ignored fields, which only providers of other APIs have. */
  ignored: readonly string[];
}

/** A chat in an API whose conversations carry state of providers of other APIs. */
interface PassthroughChat<Value> {
  /**
   * Returns the body for a provider of the same API, without what it refuses.
   * @param receiver `cloud`: a platform that serves the API of another maker, and lacks parts of it
   */
  passthroughBody(receiver?: 'maker' | 'cloud'): PassthroughBody<Value> | Promise<PassthroughBody<Value>>;
}

/**
 * A chat in the caller's API. A provider of the same API gets the bytes of the body, or `passed()`; all
 * others get `written()`.
 */
export type Chat = AnyChat &
  (
    | { api: 'chat-completions'; body: JsonBody<ChatCompletionsRequest>; caller: ChatCompletionsCaller }
    | (PassthroughChat<MessagesRequest> & {
        api: 'messages';
        body: JsonBody<MessagesRequest>;
        caller: MessagesCaller;
        /** True if the caller's URL has `beta=true`. */
        beta: boolean;
        /** From the header `anthropic-beta`. */
        betas: readonly string[];
      })
    | (PassthroughChat<ResponsesRequest> & {
        api: 'responses';
        body: JsonBody<ResponsesRequest>;
        caller: ResponsesCaller;
        /** The provider's own id of the previous response. */
        previousResponseId: string | undefined;
        /** Undefined: nobody bills usage after the response has ended. */
        background?: BackgroundNote | undefined;
        /** True for a request to compact the conversation instead of continuing it. */
        compacts?: boolean;
      })
  );

export type ChatApi = Chat['api'];

/** A request of POST /v1/completions. Its responses have the form of Chat Completions, with `text`. */
export interface TextCompletion {
  body: JsonBody<CompletionsRequest>;
  caller: ChatCompletionsCaller;
}

/** A request of POST /v1/messages/count_tokens. */
export interface PromptToCount extends Pick<AnyChat, 'translate'>, PassthroughChat<CountTokensRequest> {
  body: JsonBody<CountTokensRequest>;
  beta: boolean;
  betas: readonly string[];
}
