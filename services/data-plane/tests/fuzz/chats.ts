import {
  CHAT_TO_CHAT,
  type Chat,
  type ChatApi,
  ChatCompletionsWriter,
  ChatMeter,
  type EventTranslator,
  endpointOf,
  MESSAGES_FOR_CLOUDS,
  MESSAGES_TO_CHAT,
  MESSAGES_WITHOUT_CARRIED_STATE,
  MessagesWriter,
  mayHoldCarriedState,
  type PassthroughBody,
  type ProviderProtocol,
  providerProtocolOf,
  RESPONSES_TO_CHAT,
  RESPONSES_WITHOUT_CARRIED_STATE,
  ResponsesWriter,
  serializedBody,
  type Translation,
  writeTranslated,
} from '@model-gateway/dialects';
import {
  chatCompletionsRequest,
  messagesRequest,
  NO_UNITS,
  type ProviderKind,
  responsesRequest,
  TRAIT_PRESETS,
} from '@model-gateway/shared';
import type { z } from 'zod';
import { validateJson } from '../../src/json/validate-json.ts';
import type { Json } from './mutate.ts';

const MODEL = { id: 'acme/small', maxOutputTokens: 8_000 };
const PROVIDER = 'provider';

/** A chat without a gateway around it. */
export interface FuzzedChat {
  chat: Chat;
  meter: ChatMeter;
}

export interface FuzzedKind {
  name: string;
  protocol: ProviderProtocol;
  upstreamModel: string;
  /** False if only other models of this kind have a caller's API. */
  isOwn?: false;
}

function kind(name: string, kind: ProviderKind, upstreamModel: string, more: object = {}): FuzzedKind {
  const protocol = providerProtocolOf(kind, { apis: [], ...more });
  if (protocol === undefined) throw new Error(`there is no kind ${kind}`);
  return { name, protocol, upstreamModel };
}

export const KINDS: readonly FuzzedKind[] = [
  kind('openai', 'openai-compatible', 'gpt-5', { apis: ['chat'] }),
  kind('openai-responses', 'openai-compatible', 'gpt-5', {
    apis: ['chat', 'responses'],
    prefer: 'responses',
  }),
  ...Object.entries(TRAIT_PRESETS).map(([name, traits]) =>
    kind(name, 'openai-compatible', 'a-model', { apis: ['chat'], traits: JSON.stringify(traits) }),
  ),
  kind('anthropic', 'anthropic', 'claude-sonnet-4-5'),
  kind('gemini', 'gemini', 'gemini-3-pro-preview'),
  { ...kind('vertex', 'vertex', 'gemini-2.5-flash'), isOwn: false },
  kind('vertex-claude', 'vertex', 'publishers/anthropic/models/claude-sonnet-4-5'),
  kind('azure', 'azure-openai', 'gpt-5'),
  { ...kind('converse', 'bedrock', 'amazon.nova-2-lite-v1:0'), isOwn: false },
  kind('bedrock-claude', 'bedrock', 'anthropic.claude-sonnet-4-5-v1:0'),
  kind('cohere', 'cohere', 'command-a-03-2025'),
];

export function kindNamed(name: string): FuzzedKind {
  const found = KINDS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no kind ${name}`);
  return found;
}

const SCHEMA = { type: 'object', properties: { a: { type: 'number' } } };
const REQUESTS: Readonly<Record<ChatApi, Json>> = {
  'chat-completions': {
    model: MODEL.id,
    messages: [{ role: 'user', content: 'hello' }],
    tools: [{ type: 'function', function: { name: 'double', parameters: SCHEMA } }],
    stream: true,
    stream_options: { include_usage: true },
  },
  messages: {
    model: MODEL.id,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'hello' }],
    tools: [{ name: 'double', input_schema: SCHEMA }],
    stream: true,
  },
  responses: {
    model: MODEL.id,
    input: 'hello',
    tools: [
      { type: 'function', name: 'double', parameters: SCHEMA },
      { type: 'custom', name: 'write' },
    ],
    include: ['reasoning.encrypted_content'],
    stream: true,
  },
};

export const CALLER_APIS: readonly ChatApi[] = ['chat-completions', 'messages', 'responses'];

/** @throws GatewayError 400 for a request that its API refuses */
export function chatAt(api: ChatApi, request: Json = REQUESTS[api]): FuzzedChat {
  const chunks = [Buffer.from(JSON.stringify(request))];
  const bodyOf = <Schema extends z.ZodType>(schema: Schema) => ({
    ...validateJson(chunks, schema),
    chunks,
    isLarge: false,
  });
  const max = { ...NO_UNITS, inputTokens: 100_000, outputTokens: 8_000 };
  const credible = { inputTokens: 1_000_000, outputTokens: 100_000 };
  const meter = new ChatMeter(chunks, { max, credible, mediaParts: 0, mediaPartTokens: 1_000 });
  const translate = (fromCaller: Translation) => (upstreamModel: string, toProvider?: Translation) => {
    const translations = toProvider === undefined ? [fromCaller] : [fromCaller, toProvider];
    const { ignored, json } = writeTranslated(chunks, translations, { ...MODEL, upstreamModel });
    return { body: serializedBody(json), ignored };
  };
  const passthrough = <Schema extends z.ZodType>(
    body: ReturnType<typeof bodyOf<Schema>>,
    schema: Schema,
    change: Translation,
    always = false,
  ): PassthroughBody<z.infer<Schema>> => {
    if (!always && !mayHoldCarriedState(chunks)) return { body, ignored: [] };
    const { ignored, json } = writeTranslated(chunks, [change], { ...MODEL, upstreamModel: MODEL.id });
    const bytes = Buffer.from(json);
    return { body: { ...body, ...validateJson([bytes], schema), chunks: [bytes] }, ignored };
  };
  if (api === 'chat-completions') {
    const body = bodyOf(chatCompletionsRequest);
    const caller = new ChatCompletionsWriter(meter, MODEL.id, body.value.includeUsage);
    return { meter, chat: { api, body, model: MODEL, caller, translate: translate(CHAT_TO_CHAT) } };
  }
  if (api === 'messages') {
    const body = bodyOf(messagesRequest);
    const caller = new MessagesWriter(meter, MODEL.id, body.value.toolNames);
    const passthroughBody = (receiver?: 'maker' | 'cloud') =>
      receiver === 'cloud'
        ? passthrough(body, messagesRequest, MESSAGES_FOR_CLOUDS, body.value.hasOwnApiMembers)
        : passthrough(body, messagesRequest, MESSAGES_WITHOUT_CARRIED_STATE);
    const own = { passthroughBody, beta: false, betas: [] };
    return {
      meter,
      chat: { api, body, model: MODEL, caller, translate: translate(MESSAGES_TO_CHAT), ...own },
    };
  }
  const body = bodyOf(responsesRequest);
  const ids = { seal: (_provider: string, id: string) => `resp_${Buffer.from(id).toString('base64url')}` };
  const caller = new ResponsesWriter(meter, { modelId: MODEL.id, request: body.value, ids });
  const passthroughBody = () => passthrough(body, responsesRequest, RESPONSES_WITHOUT_CARRIED_STATE);
  const own = { passthroughBody, previousResponseId: undefined };
  return {
    meter,
    chat: { api, body, model: MODEL, caller, translate: translate(RESPONSES_TO_CHAT), ...own },
  };
}

export function translatorOf(
  { chat }: FuzzedChat,
  { protocol, upstreamModel }: Pick<FuzzedKind, 'protocol' | 'upstreamModel'>,
): EventTranslator {
  return endpointOf(protocol, 'chat').events(chat, PROVIDER, upstreamModel);
}

export const NO_PACE = { pauseTimeout: () => undefined, resumeTimeout: () => undefined };

/** Builds the request for a provider of a kind. @throws GatewayError 400 */
export async function requestAt({ chat }: FuzzedChat, { protocol, upstreamModel }: FuzzedKind) {
  return await endpointOf(protocol, 'chat').buildRequest(chat, upstreamModel, NO_PACE);
}

export function wholeOf({ chat }: FuzzedChat, { protocol, upstreamModel }: FuzzedKind) {
  return endpointOf(protocol, 'chat').whole(chat, PROVIDER, upstreamModel);
}
