import type { PlainCatalogInput } from '@model-gateway/shared';
import { modelEntry, providerEntry, simulatedCatalog } from '@model-gateway/test-kit';

/** A model of a provider of Messages, and one of a provider of Chat Completions. */
export const CLAUDE = 'sim/claude-free';
export const CHAT = 'sim/chat-free';

/** The simulated models, and those of the simulated Anthropic beside them. */
export function bothApis(baseUrl: string): PlainCatalogInput {
  const document = simulatedCatalog(baseUrl);
  const provider = providerEntry('sim-anthropic', baseUrl, { kind: 'anthropic' });
  const claude = freeAndPro('sim/claude', provider.id, 'sim-claude', { max_output_tokens: 64_000 });
  return { providers: [...document.providers, provider], models: [...document.models, ...claude] };
}

/** Returns two models whose ids, here and at the provider, end in -free and -pro. */
export function freeAndPro(id: string, provider: string, model: string, more: object = {}) {
  const pricing = { input_per_million_usd: '3.00', output_per_million_usd: '15.00' };
  return [
    modelEntry(`${id}-free`, { [provider]: `${model}-free` }, more),
    modelEntry(`${id}-pro`, { [provider]: `${model}-pro` }, { ...more, tier: 'paid', pricing }),
  ];
}
