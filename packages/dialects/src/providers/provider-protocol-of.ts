import { knownApis, type ProviderKind } from '@model-gateway/shared';
import type { ProviderProtocol } from '../interfaces/provider-protocol.ts';
import { anthropic } from './anthropic/anthropic.ts';
import {
  azureOpenAi,
  azureOpenAiResponsesFirst,
  azureOpenAiWithResponses,
} from './azure-openai/azure-openai.ts';
import { bedrock } from './bedrock/bedrock.ts';
import { cohere } from './cohere/cohere.ts';
import { gemini } from './gemini/gemini.ts';
import {
  openAiCompatible,
  openAiResponsesFirst,
  openAiWithResponses,
} from './openai-compatible/openai-compatible.ts';
import { vertex } from './vertex/vertex.ts';

/** The APIs that the catalog names for a provider or a model. Those of newer releases are ignored. */
export interface ChatApis {
  /** Empty: those of the kind. */
  apis: readonly string[];
  /** The API that chats in others are translated to. */
  prefer?: string | undefined;
}

/** The other kinds have one protocol each. */
const PROTOCOLS: Record<ProviderKind, (chats: ChatApis) => ProviderProtocol> = {
  'openai-compatible': (chats) => OPENAI_PROTOCOLS[choiceOf(chats, ['chat'])],
  anthropic: () => anthropic,
  gemini: () => gemini,
  vertex: () => vertex,
  'azure-openai': (chats) => AZURE_PROTOCOLS[choiceOf(chats, ['chat', 'responses'])],
  bedrock: () => bedrock,
  cohere: () => cohere,
};
const BY_KIND: ReadonlyMap<string, (chats: ChatApis) => ProviderProtocol> = new Map(
  Object.entries(PROTOCOLS),
);

/** @returns undefined for a kind that only a newer release knows */
export function providerProtocolOf(kind: string, chats: ChatApis): ProviderProtocol | undefined {
  return BY_KIND.get(kind)?.(chats);
}

type Choice = 'chat' | 'both' | 'responses-first';

const OPENAI_PROTOCOLS: Record<Choice, ProviderProtocol> = {
  chat: openAiCompatible,
  both: openAiWithResponses,
  'responses-first': openAiResponsesFirst,
};
const AZURE_PROTOCOLS: Record<Choice, ProviderProtocol> = {
  chat: azureOpenAi,
  both: azureOpenAiWithResponses,
  'responses-first': azureOpenAiResponsesFirst,
};

function choiceOf({ apis, prefer }: ChatApis, ofKind: readonly string[]): Choice {
  const known = knownApis(apis.length === 0 ? ofKind : apis);
  if (!known.includes('responses')) return 'chat';
  return prefer === 'responses' || !known.includes('chat') ? 'responses-first' : 'both';
}
