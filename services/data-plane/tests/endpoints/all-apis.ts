import type { PlainCatalogInput } from '@model-gateway/shared';
import { providerEntry } from '@model-gateway/test-kit';
import { bothApis, CHAT, CLAUDE, freeAndPro } from './both-apis.ts';

/** A model whose provider has Responses. */
export const RESPONSES = 'sim/responses-free';

/** A model of each kind of provider, for tests that ask all of them for the same. */
export const EVERY_KIND = [
  ['a provider of the same API', RESPONSES],
  ['a provider of Chat Completions alone', CHAT],
  ['a provider of Messages', CLAUDE],
] as const;
/** The models for whose responses the gateway writes every event itself. */
export const TRANSLATED = EVERY_KIND.filter(([, model]) => model !== RESPONSES);

/** Returns the models of `bothApis`, and those of a provider that has Responses beside Chat Completions. */
export function allApis(baseUrl: string): PlainCatalogInput {
  const { models, providers } = bothApis(baseUrl);
  const provider = providerEntry('sim-responses', baseUrl, { apis: ['chat', 'responses'] });
  return {
    providers: [...providers, provider],
    models: [...models, ...freeAndPro('sim/responses', provider.id, 'sim-chat')],
  };
}
