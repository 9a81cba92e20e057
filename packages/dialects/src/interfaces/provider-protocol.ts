import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type {
  Capability,
  EmbeddingsRequest,
  GatewayError,
  ImagesRequest,
  RerankRequest,
  SpeechRequest,
} from '@model-gateway/shared';
import type { OutlineOptions } from '../json/outline-json.ts';
import type { OutlinedResponse } from '../json/outlined-response.ts';
import type { CountedUsage } from '../usage/counted-usage.ts';
import type { Chat, ChatApi, CountedPrompt } from './chat.ts';
import type { IncomingForm } from './incoming-form.ts';
import type { JsonRequest } from './json-request.ts';
import type { ProviderBody } from './provider-body.ts';
import type { ProviderStoredRequest } from './provider-stored-request.ts';
import type { EventTranslator, JsonTranslator } from './response-translators.ts';

/** Told whenever the caller is waited for: that time is not the provider's. */
export interface CallerPace {
  holdLimit(): void;
  goOn(): void;
}

/** An answer of a provider that is no success. */
export interface RefusedBy {
  status: number;
  /** At most the first few kilobytes. */
  bodyText: string;
  /** Removes the gateway's own secrets from a text. */
  redact: (text: string) => string;
}

/** Facts in the body of an error response. */
export interface RefusalDetails {
  /** It does not accept the credential of the gateway. */
  isAccessRefused: boolean;
  /** How long to wait. */
  retryAfterSeconds?: number;
}

export interface ProbeRequest {
  path: string;
  headers: Record<string, string>;
  /** No key says who asks: unless a credential that is fetched is added, an answer says nothing of it. */
  isAnonymous?: true;
}

/** A request, ready for one provider. */
export interface Asked {
  /** Left out: POST. */
  method?: 'GET' | 'DELETE';
  /** Below the provider's base URL. What of it comes from the caller is escaped. */
  path: string;
  accept: string;
  /** Headers of the caller to send. Left out: only those that the provider's protocol passes on itself. */
  headers?: Readonly<Record<string, string>>;
  /** Left out: none. */
  body?: ProviderBody;
  /** Fields left out because the provider's API lacks them: names for `x-gateway-ignored`. */
  ignored?: readonly string[];
  /** The provider speaks the caller's own API: what it says of an error goes to the caller as it is. */
  isOwnApi?: true;
  /** Which errors are of that API, where others come from a gateway in front of it. Left out: all are. */
  isOwnError?: (bodyText: string) => boolean;
  /** Returns the error for an unsuccessful response; undefined: the usual error. */
  refusedAs?: (refused: RefusedBy) => GatewayError | undefined;
  /** Replaces the provider's ids in an error with those that the caller knows. @param text a body */
  withCallersIds?: (text: string) => string;
}

/** How providers are asked for one capability. */
export interface Endpoint<Request> {
  /**
   * @param pace of a body that is still arriving
   * @throws GatewayError 400 that names what the provider's API cannot express
   */
  ask(request: Request, upstreamModel: string, pace: CallerPace): Asked | Promise<Asked>;
}

/** How providers are asked for what a request in JSON says, and their answers understood. */
export interface JsonEndpoint<Request> extends Endpoint<JsonRequest<Request>> {
  /**
   * Converts a whole response to the caller's shape. Left out: it has that shape.
   * @param headers of the response: some providers count there
   * @throws GatewayError 502 for anything that is no response
   */
  answered?(answer: unknown, request: Request, headers: IncomingHttpHeaders): unknown;
  /** The most bytes of such an answer, where that is more than text and numbers need. */
  maxAnswerBytes?: number;
}

export interface SpeechEndpoint extends Endpoint<JsonRequest<SpeechRequest>> {
  /**
   * The audio of an answer in JSON, in the format that was asked for. Left out: the answer is the audio.
   * @throws GatewayError 502 for what is no speech, 400 where the provider refuses to speak
   */
  spoken?(answer: unknown, request: SpeechRequest): Buffer[];
}

/** How providers are asked for a chat, and how their answers are understood. */
export interface ChatEndpoint extends Endpoint<Chat> {
  /** The APIs that it speaks: requests in them pass as they came. */
  apis: readonly ChatApi[];
  /**
   * A translator for one answer in events.
   * @param providerId of the one that answers
   * @param upstreamModel its name of the model that was asked
   */
  events(chat: Chat, providerId: string, upstreamModel: string): EventTranslator;
  whole(chat: Chat, providerId: string, upstreamModel: string): JsonTranslator;
  /** Where such providers count the tokens of a prompt. */
  count?: CountEndpoint;
  /** Where they are asked about responses that they keep. */
  providerStored?: ProviderStoredEndpoint;
}

/** How providers are asked about a response that they keep. */
export interface ProviderStoredEndpoint extends Endpoint<ProviderStoredRequest> {
  events(request: ProviderStoredRequest, providerId: string): EventTranslator;
  whole(request: ProviderStoredRequest, providerId: string): JsonTranslator;
  ended: EndedReader;
}

/** @throws GatewayError 502 for what is no response */
export interface EndedReader {
  whole(response: unknown): EndedResponse | undefined;
  /** The places that `large` looks at. */
  outline: OutlineOptions;
  large(response: OutlinedResponse): EndedResponse | undefined;
}

/** The usage of a response that its provider no longer works on. */
export interface EndedResponse {
  /** Undefined: nothing was counted. */
  usage: CountedUsage | undefined;
  /** Text written by the model, to count if the provider did not; undefined: no output. */
  written: unknown;
  hasFailed: boolean;
}

/** How providers are asked how many tokens a prompt has. They charge nothing for it. */
export interface CountEndpoint extends Endpoint<CountedPrompt> {
  /** True if they count for a model, by their name of it. Left out: for all. */
  counts?(upstreamModel: string): boolean;
  /** A translator for the answer into that of POST /v1/messages/count_tokens. */
  whole: JsonTranslator['whole'];
}

interface Endpoints extends Record<Capability, unknown> {
  chat: ChatEndpoint;
  embeddings: JsonEndpoint<EmbeddingsRequest>;
  rerank: JsonEndpoint<RerankRequest>;
  images: JsonEndpoint<ImagesRequest>;
  speech: SpeechEndpoint;
  transcription: Endpoint<IncomingForm>;
}

/** Input for the headers of a request. */
export interface HeadInput {
  /** Constant headers of the catalog. */
  constant: Readonly<Record<string, string>>;
  credential: string | undefined;
  asked: Asked;
  /** The request of the caller. */
  req: Pick<IncomingMessage, 'headers'>;
}

/** The protocol of one kind of provider: all that the gateway knows of it. */
export interface ProviderProtocol {
  /** The whole head of a request: nothing else of the caller's head leaves the gateway. */
  head(input: HeadInput): Record<string, string>;
  requestIdHeader: string;
  /** Returns facts that stand in the body where others use status and headers. Left out: none. */
  refusalDetails?(bodyText: string): RefusalDetails;
  /** A request that is free and that every provider of the kind answers, to learn whether it is there. */
  probe(input: Pick<HeadInput, 'constant' | 'credential'>): ProbeRequest;
  /** How they are asked for each of the capabilities that they have. */
  endpoints: Partial<Endpoints>;
}

/** The model table routes no model to a provider whose protocol lacks its capability. */
export function endpointOf<Kind extends Capability>(
  { endpoints }: ProviderProtocol,
  capability: Kind,
): Endpoints[Kind] {
  const endpoint: Endpoints[Kind] | undefined = endpoints[capability];
  if (endpoint === undefined)
    throw new Error(`a model for ${capability} was routed to a provider without it`);
  return endpoint;
}
