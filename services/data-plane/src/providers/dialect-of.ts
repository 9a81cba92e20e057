import type { ProviderKind } from '@model-gateway/shared';
import { anthropic } from './anthropic/anthropic.ts';
import type { ProviderDialect } from './dialect.ts';
import { openAiCompatible } from './openai-compatible/openai-compatible.ts';

const DIALECTS: Record<ProviderKind, ProviderDialect> = {
  'openai-compatible': openAiCompatible,
  anthropic,
};
const BY_KIND: ReadonlyMap<string, ProviderDialect> = new Map(Object.entries(DIALECTS));

/** @returns undefined for a kind that only a newer release knows */
export function dialectOf(kind: string): ProviderDialect | undefined {
  return BY_KIND.get(kind);
}
