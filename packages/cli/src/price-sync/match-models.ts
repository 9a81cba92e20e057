import type { ProviderMessage } from '@model-gateway/contracts';
import { isVersionOf } from '../provider-models/index.ts';
import type { PriceSourceFile, SourceFormat } from './source-model.ts';

/** The names under which sources list the models of a provider. */
interface Origin {
  kind: string;
  /** Hosts of `base_url`, for kinds that many providers have. */
  hosts?: readonly string[];
  /** litellm also names the provider, because several providers have names without a prefix. */
  litellm: { provider: RegExp; prefixes: readonly string[] };
  /** Prefixes of the model's name in a key. */
  modelsDev: readonly string[];
  openRouter: readonly string[];
}

/**
 * The provider of an entry, by the kind of the catalog's provider, and for `openai-compatible` by the host.
 * docs/prices.md has the same table.
 */
const ORIGINS: readonly Origin[] = [
  {
    kind: 'anthropic',
    litellm: { provider: /^anthropic$/, prefixes: ['', 'anthropic/'] },
    modelsDev: ['anthropic/'],
    openRouter: ['anthropic/'],
  },
  {
    kind: 'gemini',
    litellm: { provider: /^gemini$/, prefixes: ['gemini/'] },
    modelsDev: ['google/'],
    openRouter: ['google/'],
  },
  {
    kind: 'vertex',
    litellm: { provider: /^vertex_ai/, prefixes: ['vertex_ai/', ''] },
    modelsDev: ['google-vertex/', 'google-vertex-anthropic/'],
    openRouter: [],
  },
  {
    kind: 'azure-openai',
    litellm: { provider: /^azure$/, prefixes: ['azure/'] },
    modelsDev: ['azure/'],
    openRouter: [],
  },
  {
    kind: 'bedrock',
    litellm: { provider: /^bedrock(?:_converse)?$/, prefixes: ['', 'bedrock/'] },
    modelsDev: ['amazon-bedrock/'],
    openRouter: [],
  },
  {
    kind: 'cohere',
    litellm: { provider: /^cohere(?:_chat)?$/, prefixes: ['', 'cohere/'] },
    modelsDev: ['cohere/'],
    openRouter: ['cohere/'],
  },
  compatible(['api.openai.com'], {
    litellm: 'openai',
    withoutPrefix: true,
    modelsDev: 'openai',
    openRouter: 'openai',
  }),
  compatible(['api.mistral.ai', 'codestral.mistral.ai'], { litellm: 'mistral', modelsDev: 'mistral' }),
  compatible(['api.groq.com'], { litellm: 'groq', modelsDev: 'groq' }),
  compatible(['api.cerebras.ai'], { litellm: 'cerebras', modelsDev: 'cerebras' }),
  compatible(['api.moonshot.ai'], { litellm: 'moonshot', modelsDev: 'moonshotai' }),
  compatible(['api.moonshot.cn'], { litellm: 'moonshot', modelsDev: 'moonshotai-cn' }),
  compatible(['api.deepseek.com'], { litellm: 'deepseek', modelsDev: 'deepseek' }),
  compatible(['api.x.ai'], { litellm: 'xai', modelsDev: 'xai', openRouter: 'x-ai' }),
  compatible(['api.together.ai', 'api.together.xyz'], { litellm: 'together_ai', modelsDev: 'togetherai' }),
  compatible(['api.fireworks.ai'], { litellm: 'fireworks_ai', modelsDev: 'fireworks-ai' }),
  {
    kind: 'openai-compatible',
    hosts: ['openrouter.ai'],
    litellm: { provider: /^openrouter$/, prefixes: ['openrouter/'] },
    modelsDev: ['openrouter/'],
    openRouter: [''],
  },
];

interface CompatibleNames {
  litellm: string;
  /** True: litellm lists the models also without a prefix. */
  withoutPrefix?: boolean;
  modelsDev: string;
  /** Left out if many providers have these models, because OpenRouter lists the lowest price. */
  openRouter?: string;
}

function compatible(
  hosts: readonly string[],
  { withoutPrefix = false, litellm, modelsDev, openRouter }: CompatibleNames,
): Origin {
  return {
    kind: 'openai-compatible',
    hosts,
    litellm: {
      provider: new RegExp(`^${litellm}$`),
      prefixes: withoutPrefix ? ['', `${litellm}/`] : [`${litellm}/`],
    },
    modelsDev: [`${modelsDev}/`],
    openRouter: openRouter === undefined ? [] : [`${openRouter}/`],
  };
}

const PREFIXES: Readonly<Record<SourceFormat, (origin: Origin) => readonly string[]>> = {
  litellm: ({ litellm }) => litellm.prefixes,
  'models.dev': ({ modelsDev }) => modelsDev,
  openrouter: ({ openRouter }) => openRouter,
};

/** The version at the end of names on Vertex AI. */
const VERTEX_VERSION = /@(?:\d{8}|default|latest)$/;

/**
 * Finds the entries of a source for a model at a provider: those of exactly this name, else those whose name
 * differs by a date or `latest` at its end.
 * @param upstream the name of the model at the provider
 * @returns keys; empty: the source has no price of this provider for the model
 */
export function matchModel(
  source: PriceSourceFile,
  { baseUrl, kind }: Pick<ProviderMessage, 'baseUrl' | 'kind'>,
  upstream: string,
): string[] {
  const origin = ORIGINS.find((each) => each.kind === kind && isHost(each.hosts, baseUrl));
  if (origin === undefined) return [];
  const prefixes = PREFIXES[source.format](origin);
  const name = upstreamName(kind, upstream);
  const names = [...source.entries].flatMap(([key, entry]) => {
    const isOther =
      source.format === 'litellm' && !origin.litellm.provider.test(String(providerOf(source, entry)));
    const own = isOther ? [] : prefixes.filter((prefix) => key.startsWith(prefix));
    return own.map((prefix) => ({
      key,
      rank: prefixes.indexOf(prefix),
      name: spelling(source.format, key.slice(prefix.length)),
    }));
  });
  const own = spelling(source.format, name);
  const exact = names.filter((each) => each.name === own);
  const found = exact.length > 0 ? exact : names.filter((each) => isSameModel(kind, each.name, own));
  return found.sort((left, right) => left.rank - right.rank).map(({ key }) => key);
}

function isHost(hosts: readonly string[] | undefined, baseUrl: string): boolean {
  return hosts === undefined || hosts.includes(new URL(baseUrl).hostname);
}

/** Returns litellm's provider of an entry. An alias has that of its model. */
function providerOf({ entries }: PriceSourceFile, entry: Readonly<Record<string, unknown>>): unknown {
  return entry.litellm_provider ?? entries.get(String(entry.alias_of))?.litellm_provider;
}

/** Returns the id in the ARN of a model or profile; any other name as it is. */
function upstreamName(kind: string, upstream: string): string {
  return kind === 'bedrock' && upstream.startsWith('arn:')
    ? upstream.slice(upstream.lastIndexOf('/') + 1)
    : upstream;
}

/** Unifies spellings: OpenRouter writes `claude-opus-4.5`, Anthropic `claude-opus-4-5`. */
function spelling(format: SourceFormat, name: string): string {
  return format === 'openrouter' ? name.replaceAll('.', '-') : name;
}

function isSameModel(kind: string, name: string, own: string): boolean {
  // Profiles of other geographies have other prices.
  if (kind === 'bedrock') return false;
  if (kind !== 'vertex') return isVersionOf(name, own) || isVersionOf(own, name);
  const [one, other] = [name, own].map((each) => each.replace(VERTEX_VERSION, ''));
  return one === other;
}
