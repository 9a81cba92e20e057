import { knownApis, type ProviderKind } from '@model-gateway/shared';
import type { ProviderProtocol } from '../interfaces/provider-protocol.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { azureOpenAi, azureOpenAiWithResponses } from './azure-openai/azure-openai.ts';
import { bedrock } from './bedrock/bedrock.ts';
import { cohere } from './cohere/cohere.ts';
import { gemini } from './gemini/gemini.ts';
import { openAiCompatible, openAiWithResponses } from './openai-compatible/openai-compatible.ts';
import { vertex } from './vertex/vertex.ts';

/** By what the catalog says of the APIs of a provider; the other kinds have one protocol each. */
const PROTOCOLS: Record<ProviderKind, (apis: readonly string[]) => ProviderProtocol> = {
  'openai-compatible': (apis) => (hasResponses(apis) ? openAiWithResponses : openAiCompatible),
  anthropic: () => anthropic,
  gemini: () => gemini,
  vertex: () => vertex,
  'azure-openai': (apis) =>
    apis.length === 0 || hasResponses(apis) ? azureOpenAiWithResponses : azureOpenAi,
  bedrock: () => bedrock,
  cohere: () => cohere,
};
const BY_KIND: ReadonlyMap<string, (apis: readonly string[]) => ProviderProtocol> = new Map(
  Object.entries(PROTOCOLS),
);

/**
 * @param apis what the catalog says that the provider has for chats; what only newer releases know is ignored
 * @returns undefined for a kind that only a newer release knows
 */
export function providerProtocolOf(kind: string, apis: readonly string[]): ProviderProtocol | undefined {
  return BY_KIND.get(kind)?.(apis);
}

function hasResponses(apis: readonly string[]): boolean {
  return knownApis(apis).includes('responses');
}
