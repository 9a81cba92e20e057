import { z } from 'zod';
import { type Capability, capability } from './capability.ts';

/** Kinds of providers. `packages/dialects` implements the protocol of each. */
export const providerKind = z.enum([
  'openai-compatible',
  'anthropic',
  'gemini',
  'vertex',
  'azure-openai',
  'bedrock',
  'cohere',
]);
export type ProviderKind = z.infer<typeof providerKind>;

export const KIND_CAPABILITIES: Readonly<Record<ProviderKind, readonly Capability[]>> = {
  'openai-compatible': capability.options,
  anthropic: ['chat'],
  gemini: ['chat', 'embeddings', 'images', 'speech'],
  vertex: ['chat', 'embeddings'],
  'azure-openai': capability.exclude(['rerank', 'moderation']).options,
  bedrock: ['chat', 'embeddings', 'rerank', 'images'],
  cohere: ['chat', 'embeddings', 'rerank'],
};

/** The APIs of chats that a provider may have, of the kinds that have `DEFAULT_APIS`. */
export const providerApi = z.enum(['chat', 'responses']);
export type ProviderApi = z.infer<typeof providerApi>;
export const providerApis = z
  .array(providerApi)
  .min(1)
  .refine((apis) => new Set(apis).size === apis.length, 'an API is listed twice')
  .meta({ title: 'a list of `chat` and `responses`' });

export const DEFAULT_APIS: Readonly<Partial<Record<ProviderKind, readonly ProviderApi[]>>> = {
  'openai-compatible': ['chat'],
  'azure-openai': ['chat', 'responses'],
};

/** Drops APIs that only a newer release knows. */
export function knownApis(names: readonly string[]): ProviderApi[] {
  return providerApi.options.filter((api) => names.includes(api));
}
