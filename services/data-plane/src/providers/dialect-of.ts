import { knownApis, type ProviderKind } from '@model-gateway/shared';
import { anthropic } from './anthropic/anthropic.ts';
import type { ProviderDialect } from './dialect.ts';
import { gemini } from './gemini/gemini.ts';
import { openAiCompatible, openAiWithResponses } from './openai-compatible/openai-compatible.ts';

const DIALECTS: Record<ProviderKind, ProviderDialect> = {
  'openai-compatible': openAiCompatible,
  anthropic,
  gemini,
};
const BY_KIND: ReadonlyMap<string, ProviderDialect> = new Map(Object.entries(DIALECTS));

/**
 * @param apis what the catalog says that the provider has for chats; what only newer releases know is ignored
 * @returns undefined for a kind that only a newer release knows
 */
export function dialectOf(kind: string, apis: readonly string[]): ProviderDialect | undefined {
  const dialect = BY_KIND.get(kind);
  return dialect === openAiCompatible && knownApis(apis).includes('responses')
    ? openAiWithResponses
    : dialect;
}
