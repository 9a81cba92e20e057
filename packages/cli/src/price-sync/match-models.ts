import type { ProviderMessage } from '@model-gateway/contracts';
import { isVersionOf } from '../provider-models/index.ts';
import type { PriceSourceFile, SourceFormat } from './source-model.ts';

/** Where a source lists the models of a provider. */
interface Origin {
  kind: string;
  /** Hosts of `base_url`, for kinds that many providers have. */
  hosts?: readonly string[];
  /** For litellm, also its name of the provider: bare names are those of several. */
  litellm: { provider: RegExp; prefixes: readonly string[] };
  /** The text before the model's name in a key. */
  modelsDev: readonly string[];
  openRouter: readonly string[];
}

/**
 * The rules by which a model of the catalog finds its entry: the kind of provider, for `openai-compatible`
 * the host, and the name of the model at that provider. docs/prices.md has them in words.
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
    bare: true,
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
  /** True: litellm lists the models without a prefix. */
  bare?: boolean;
  modelsDev: string;
  /** Left out: many providers have these models, and OpenRouter lists the lowest price. */
  openRouter?: string;
}

function compatible(
  hosts: readonly string[],
  { bare = false, litellm, modelsDev, openRouter }: CompatibleNames,
): Origin {
  return {
    kind: 'openai-compatible',
    hosts,
    litellm: {
      provider: new RegExp(`^${litellm}$`),
      prefixes: bare ? ['', `${litellm}/`] : [`${litellm}/`],
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

/** Ends of names on Vertex AI: a date, or the newest one. */
const VERTEX_VERSION = /@(?:\d{8}|default|latest)$/;

/**
 * Finds the entries of a source for a model at a provider: those of exactly this name, else those whose name
 * differs by a date or `latest` at its end.
 * @param upstream the name of the model at the provider
 * @returns keys; none: the source has no price of this provider for it
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

/** An entry that is only another name has no provider of its own. */
function providerOf({ entries }: PriceSourceFile, entry: Readonly<Record<string, unknown>>): unknown {
  return entry.litellm_provider ?? entries.get(String(entry.alias_of))?.litellm_provider;
}

/** Returns the id in the ARN of a model or profile; any other name as it is. */
function upstreamName(kind: string, upstream: string): string {
  return kind === 'bedrock' && upstream.startsWith('arn:')
    ? upstream.slice(upstream.lastIndexOf('/') + 1)
    : upstream;
}

/** OpenRouter writes `claude-opus-4.5` where Anthropic writes `claude-opus-4-5`. */
function spelling(format: SourceFormat, name: string): string {
  return format === 'openrouter' ? name.replaceAll('.', '-') : name;
}

function isSameModel(kind: string, name: string, own: string): boolean {
  // A profile of Bedrock in another geography has other prices.
  if (kind === 'bedrock') return false;
  if (kind !== 'vertex') return isVersionOf(name, own) || isVersionOf(own, name);
  const [one, other] = [name, own].map((each) => each.replace(VERTEX_VERSION, ''));
  return one === other;
}
