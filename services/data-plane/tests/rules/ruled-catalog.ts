import { type CatalogDocumentInput, capability } from '@model-gateway/shared';
import { modelEntry, providerEntry } from '@model-gateway/test-kit';

export const PROVIDER_IDS = ['plain', 'storing', 'claude', 'other'] as const;
export type ProviderId = (typeof PROVIDER_IDS)[number];

/** The catalog entry of each provider, where it differs from the default. */
const PROVIDERS: Readonly<Record<ProviderId, Parameters<typeof providerEntry>[2]>> = {
  plain: {},
  storing: { apis: ['chat', 'responses'] },
  claude: { kind: 'anthropic' },
  other: { apis: ['chat', 'responses'] },
};

/** No two models have the same name at one provider, so a request there shows which of them was asked. */
const CHATS = {
  'acme/small': { plain: 'sim-chat-free', storing: 'sim-chat-free' },
  'acme/large': { claude: 'sim-claude-free' },
  'beta/small': { storing: 'sim-chat-pro', other: 'sim-chat-free' },
  'beta/large': { other: 'sim-chat-pro', plain: 'sim-chat-pro' },
} as const;
const FALLBACKS = {
  'acme/small': ['acme/large'],
  'acme/large': ['beta/small', 'beta/large'],
} as const;

/** The other capabilities, and the simulated model of each. */
export const OTHERS = {
  completions: 'complete',
  embeddings: 'embed',
  rerank: 'rerank',
  images: 'image',
  speech: 'speech',
  transcription: 'transcribe',
  moderation: 'moderate',
} as const;
const OTHER_CAPABILITIES = capability.exclude(['chat']).options;

/** Names that callers may use, and the models behind them in any order, fallbacks included. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  'acme/small': ['acme/small', 'acme/large'],
  small: ['acme/small', 'acme/large'],
  'acme/large': ['acme/large', 'beta/small', 'beta/large'],
  'beta/small': ['beta/small'],
  'beta/large': ['beta/large'],
  'auto/any': ['acme/small', 'acme/large', 'beta/small', 'beta/large'],
  any: ['acme/small', 'acme/large', 'beta/small', 'beta/large'],
};

/** Providers of each model, with its name there. */
export const UPSTREAMS: Readonly<Record<string, Partial<Record<ProviderId, string>>>> = {
  ...CHATS,
  ...Object.fromEntries(
    Object.values(OTHERS).flatMap((name): [string, Partial<Record<ProviderId, string>>][] => [
      [`acme/${name}`, { plain: `sim-${name}-free` }],
      [`beta/${name}`, { storing: `sim-${name}-free`, other: `sim-${name}-free` }],
    ]),
  ),
};

/** Returns the models behind a name. Of other capabilities, `acme/…` has the fallback `beta/…`. */
export function modelsBehind(name: string): readonly string[] {
  const known = NAMES[name];
  if (known !== undefined) return known;
  return name.startsWith('acme/') ? [name, name.replace('acme', 'beta')] : [name];
}

export function ruledCatalog(baseUrls: Readonly<Record<ProviderId, string>>): CatalogDocumentInput {
  const others = OTHER_CAPABILITIES.flatMap((capability) =>
    ['acme', 'beta'].map((maker) => {
      const name = OTHERS[capability];
      return modelEntry(`${maker}/${name}`, UPSTREAMS[`${maker}/${name}`] ?? {}, {
        capability,
        ...(maker === 'acme' ? { fallbacks: [`beta/${name}`] } : {}),
      });
    }),
  );
  const chats = Object.entries(CHATS).map(([id, upstreams]) => {
    const fallbacks = new Map<string, readonly string[]>(Object.entries(FALLBACKS)).get(id) ?? [];
    return modelEntry(id, upstreams, {
      fallbacks: [...fallbacks],
      ...(id === 'acme/small' ? { aliases: ['small'] } : {}),
    });
  });
  return {
    providers: PROVIDER_IDS.map((id) => providerEntry(id, baseUrls[id], PROVIDERS[id])),
    models: [
      ...chats,
      ...others,
      {
        id: 'auto/any',
        name: 'Any',
        kind: 'virtual',
        aliases: ['any'],
        models: ['acme/small', 'acme/large', 'beta/small'].map((model) => ({ model })),
        fallbacks: ['beta/large'],
      },
    ],
  };
}
