import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type {
  Capability,
  EmbeddingsRequest,
  GatewayError,
  ImagesRequest,
  ModerationsRequest,
  RerankRequest,
  SpeechRequest,
} from '@model-gateway/shared';
import type { OutlineOptions } from '../json/outline-json.ts';
import type { OutlinedResponse } from '../json/outlined-response.ts';
import type { CountedUsage } from '../usage/counted-usage.ts';
import type { Chat, ChatApi, PromptToCount, TextCompletion } from './chat.ts';
import type { ImageEdit } from './image-edit.ts';
import type { IncomingForm } from './incoming-form.ts';
import type { JsonRequest } from './json-request.ts';
import type { ProviderBody } from './provider-body.ts';
import type { ProviderStoredRequest } from './provider-stored-request.ts';
import type { EventTranslator, JsonTranslator } from './response-translators.ts';

/** Pauses the provider's timeout while the caller's body arrives. */
export interface CallerPace {
  pauseTimeout(): void;
  resumeTimeout(): void;
}

/** A response of a provider with an error status. */
export interface ErrorResponse {
  status: number;
  /** At most the first few kilobytes. */
  bodyText: string;
  /** Removes the gateway's own secrets from a text. */
  redact: (text: string) => string;
}

/** Facts in the body of an error response. */
export interface ErrorDetails {
  /** The provider does not accept the gateway's credential. */
  isAccessRefused: boolean;
  /** How long to wait. */
  retryAfterSeconds?: number;
}

export interface ProbeRequest {
  path: string;
  headers: Record<string, string>;
  /** Sent without a key, so a response says nothing about the credential. */
  isAnonymous?: true;
}

/** A request for one provider. */
export interface UpstreamRequest {
  /** Left out: POST. */
  method?: 'GET' | 'DELETE';
  /** Relative to the provider's base URL. Text of the caller is escaped. */
  path: string;
  accept: string;
  /** Headers of the caller to send, besides those that the protocol always passes. */
  headers?: Readonly<Record<string, string>>;
  /** Left out: none. */
  body?: ProviderBody;
  /** Names for `x-gateway-ignored`. */
  ignored?: readonly string[];
  /** The provider has the caller's API: its error bodies pass unchanged. */
  isOwnApi?: true;
  /** Returns true for errors of that API; others come from a proxy in front. Left out: all are. */
  isOwnError?: (bodyText: string) => boolean;
  /** Returns the error for an unsuccessful response; undefined: the usual error. */
  errorFor?: (refused: ErrorResponse) => GatewayError | undefined;
  /** Replaces the provider's ids in an error with those that the caller knows. @param text a body */
  replaceProviderIds?: (text: string) => string;
}

export interface Endpoint<Request> {
  /**
   * @param pace of a body that is still arriving
   * @throws GatewayError 400 that names what the provider's API cannot express
   */
  buildRequest(
    request: Request,
    upstreamModel: string,
    pace: CallerPace,
  ): UpstreamRequest | Promise<UpstreamRequest>;
}

export interface JsonEndpoint<Request> extends Endpoint<JsonRequest<Request>> {
  /**
   * Converts a whole response to OpenAI's form. Left out: it has that form.
   * @param headers of the response: some providers count there
   * @throws GatewayError 502
   */
  convertResponse?(answer: unknown, request: Request, headers: IncomingHttpHeaders): unknown;
  /** Maximum size of a response, where text and numbers need less. */
  maxResponseBytes?: number;
}

export interface ImagesEndpoint extends JsonEndpoint<ImagesRequest> {
  /** Edits images of the caller. Left out: the provider cannot. */
  edits?: Endpoint<ImageEdit>;
}

export interface SpeechEndpoint extends Endpoint<JsonRequest<SpeechRequest>> {
  /**
   * Returns the audio of a response in JSON, in the requested format. Left out: the response is the audio.
   * @throws GatewayError 502 for a response without audio, 400 if the provider refuses the text
   */
  readAudio?(answer: unknown, request: SpeechRequest): Buffer[];
}

/** An endpoint whose model writes text. */
export interface TextEndpoint<Request> extends Endpoint<Request> {
  /** Returns a translator for one streamed response; `whole`: for one that is not streamed. */
  events(request: Request, providerId: string, upstreamModel: string): EventTranslator;
  whole(request: Request, providerId: string, upstreamModel: string): JsonTranslator;
  /** The header of responses that names the service tier. Left out: only the body does. */
  tierHeader?: string;
}

export interface ChatEndpoint extends TextEndpoint<Chat> {
  /** APIs of the provider: requests in these pass unchanged. */
  apis: readonly ChatApi[];
  /** True if the provider caches only the parts of a request that are marked for it. */
  cachesMarkedOnly?: true;
  count?: CountEndpoint;
  providerStored?: ProviderStoredEndpoint;
}

/** Requests about a response that a provider stores. */
export interface ProviderStoredEndpoint extends Endpoint<ProviderStoredRequest> {
  events(request: ProviderStoredRequest, providerId: string): EventTranslator;
  whole(request: ProviderStoredRequest, providerId: string): JsonTranslator;
  ended: EndedReader;
  /** Headers of the caller that its provider needs to find a response. */
  callerHeaders: readonly string[];
}

/** @throws GatewayError 502 for what is no response */
export interface EndedReader {
  whole(response: unknown): EndedResponse | undefined;
  /** The parts that `large` reads. */
  outline: OutlineOptions;
  large(response: OutlinedResponse): EndedResponse | undefined;
}

/** The usage of a response that its provider no longer works on. */
export interface EndedResponse {
  /** Undefined: nothing was counted. */
  usage: CountedUsage | undefined;
  /** Estimated tokens of the output, if the provider counted none; undefined: no output. */
  writtenTokens: number | undefined;
  hasFailed: boolean;
  /** By `readServiceTier`; absent: the provider named none. */
  serviceTier?: string | undefined;
}

/** Counts the tokens of a prompt, which is free. */
export interface CountEndpoint extends Endpoint<PromptToCount> {
  /** Returns false for models that the provider does not count. Left out: it counts all. */
  counts?(upstreamModel: string): boolean;
  /** Converts the response to that of POST /v1/messages/count_tokens. */
  whole: JsonTranslator['whole'];
}

interface Endpoints extends Record<Capability, unknown> {
  chat: ChatEndpoint;
  completions: TextEndpoint<TextCompletion>;
  embeddings: JsonEndpoint<EmbeddingsRequest>;
  rerank: JsonEndpoint<RerankRequest>;
  images: ImagesEndpoint;
  speech: SpeechEndpoint;
  transcription: Endpoint<IncomingForm>;
  moderation: Endpoint<JsonRequest<ModerationsRequest>>;
}

/** Input for the headers of a request. */
export interface HeadInput {
  /** Constant headers of the catalog. */
  constant: Readonly<Record<string, string>>;
  credential: string | undefined;
  request: UpstreamRequest;
  /** The request of the caller. */
  req: Pick<IncomingMessage, 'headers'>;
}

/** The protocol of one kind of provider. */
export interface ProviderProtocol {
  /** Returns all headers of a request. No other header of the caller is sent. */
  head(input: HeadInput): Record<string, string>;
  requestIdHeader: string;
  /** Reads facts from an error body that other providers put into status and headers. */
  errorDetails?(bodyText: string): ErrorDetails;
  /** Returns a free request, to learn whether the provider is reachable. */
  probe(input: Pick<HeadInput, 'constant' | 'credential'>): ProbeRequest;
  endpoints: Partial<Endpoints>;
}

/** @throws Error for a capability without endpoint, which the model table rules out */
export function endpointOf<Kind extends Capability>(
  { endpoints }: ProviderProtocol,
  capability: Kind,
): Endpoints[Kind] {
  const endpoint: Endpoints[Kind] | undefined = endpoints[capability];
  if (endpoint === undefined)
    throw new Error(`a model for ${capability} was routed to a provider without it`);
  return endpoint;
}
