import { knownApis, type ProviderKind, type ProviderTraits, traitsOf } from '@model-gateway/shared';
import type { ChatEndpoint, ProviderProtocol } from '../interfaces/provider-protocol.ts';
import { anthropic } from './anthropic/anthropic.ts';
import {
  azureOpenAi,
  azureOpenAiResponsesFirst,
  azureOpenAiWithResponses,
} from './azure-openai/azure-openai.ts';
import { bedrock } from './bedrock/bedrock.ts';
import { cohere } from './cohere/cohere.ts';
import { gemini } from './gemini/gemini.ts';
import { openAiChat } from './openai-compatible/openai-chat.ts';
import { openAiCompatibleWith } from './openai-compatible/openai-compatible.ts';
import { openAiResponsesChat, openAiResponsesFirstChat } from './openai-compatible/openai-responses-chat.ts';
import { vertex } from './vertex/vertex.ts';

/** Settings of a provider or a model in the catalog. Names of newer releases are ignored. */
export interface ChatSettings {
  /** Empty: those of the kind. */
  apis: readonly string[];
  /** The API for chats that are translated. */
  prefer?: string | undefined;
  /** JSON of `traits`. Left out: those of the host. */
  traits?: string | undefined;
  baseUrl?: string;
}

const PROTOCOLS: Record<ProviderKind, (chats: ChatSettings) => ProviderProtocol> = {
  'openai-compatible': openAiCompatibleOf,
  anthropic: () => anthropic,
  gemini: () => gemini,
  vertex: () => vertex,
  'azure-openai': (chats) => AZURE_PROTOCOLS[choiceOf(chats, ['chat', 'responses'])],
  bedrock: () => bedrock,
  cohere: () => cohere,
};
const BY_KIND: ReadonlyMap<string, (chats: ChatSettings) => ProviderProtocol> = new Map(
  Object.entries(PROTOCOLS),
);

/** @returns undefined for a kind that only a newer release knows */
export function providerProtocolOf(kind: string, chats: ChatSettings): ProviderProtocol | undefined {
  return BY_KIND.get(kind)?.(chats);
}

type Choice = 'chat' | 'both' | 'responses-first';

/** Providers with the same APIs and traits share a protocol, and so the translation of a request. */
const COMPATIBLE = new Map<string, ProviderProtocol>();

function openAiCompatibleOf(chats: ChatSettings): ProviderProtocol {
  const choice = choiceOf(chats, ['chat']);
  const traits = traitsOf(chats.traits === undefined ? undefined : JSON.parse(chats.traits), chats.baseUrl);
  const name = `${choice} ${JSON.stringify(traits)}`;
  const known = COMPATIBLE.get(name) ?? openAiCompatibleWith(traits, OPENAI_CHATS[choice](traits));
  COMPATIBLE.set(name, known);
  return known;
}

const OPENAI_CHATS: Record<Choice, (traits: ProviderTraits) => ChatEndpoint> = {
  chat: openAiChat,
  both: (traits) => openAiResponsesChat(openAiChat(traits)),
  'responses-first': () => openAiResponsesFirstChat,
};
const AZURE_PROTOCOLS: Record<Choice, ProviderProtocol> = {
  chat: azureOpenAi,
  both: azureOpenAiWithResponses,
  'responses-first': azureOpenAiResponsesFirst,
};

function choiceOf({ apis, prefer }: ChatSettings, ofKind: readonly string[]): Choice {
  const known = knownApis(apis.length === 0 ? ofKind : apis);
  if (!known.includes('responses')) return 'chat';
  return prefer === 'responses' || !known.includes('chat') ? 'responses-first' : 'both';
}
