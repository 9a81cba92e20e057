import { z } from 'zod';

/** A path in a response: names and numbers of entries, separated by dots. */
const responsePath = z
  .string()
  .regex(/^\w+(?:\.\w+)*$/, 'not a path such as "usage" or "choices.0.usage"')
  .meta({ title: 'a path in the response' });

/** Differences between servers that have OpenAI's Chat Completions API. */
const traitMembers = z.strictObject({
  output_limit: z
    .enum(['max_completion_tokens', 'max_tokens'])
    .describe('The name of the output limit. A request with the other name is changed.'),
  reasoning_back: z
    .enum(['none', 'reasoning_content', 'reasoning', 'reasoning_details', 'content_parts'])
    .describe(
      'How requests send earlier reasoning back: not at all, as text under one of two names, as ' +
        '`reasoning_details` with the text, or as `thinking` parts of the content.',
    ),
  reasoning_required: z
    .boolean()
    .describe(
      'Whether assistant messages with tool calls need earlier reasoning. Where it is gone, a space is sent.',
    ),
  cached_tokens_at: responsePath.describe('Where in its usage the number of cached input tokens is.'),
  usage_at: responsePath.describe('Where in a response, or in a chunk of a stream, the usage is.'),
  stop_max: z.int().min(0).max(1_000).describe('The highest number of stop sequences.'),
  tool_name_max: z
    .int()
    .min(1)
    .max(1_000)
    .describe('The highest number of characters in the name of a tool.'),
  schema_keywords: z
    .array(z.string().min(1).max(64))
    .max(64)
    .meta({ title: 'a list of keywords' })
    .describe(
      'Keywords of JSON Schema that the server refuses. They are removed from schemas of tools and outputs.',
    ),
  developer_role: z
    .boolean()
    .describe('Whether messages may have the role `developer`. Without, they become `system`.'),
  system_first: z
    .boolean()
    .describe('Whether only the first message may be a system message. Later ones are merged into it.'),
  strict: z
    .boolean()
    .describe(
      'Whether the server refuses members that only OpenAI has. Then `verbosity`, `prompt_cache_key`, ' +
        '`prompt_cache_retention`, `safety_identifier`, and in messages `refusal`, `annotations`, `audio`, ' +
        '`function_call` and `name` are removed.',
    ),
  store: z.boolean().describe('Whether requests may have `store`. Without, it is removed.'),
  stream_usage: z
    .boolean()
    .describe('Whether requests may have `stream_options`. Without, the server always sends usage.'),
  done_marker: z
    .boolean()
    .describe('Whether a stream is complete only with `[DONE]`. Without, a finish reason is enough.'),
});

export type ProviderTraits = Readonly<z.infer<typeof traitMembers>>;

const GENERIC: ProviderTraits = {
  output_limit: 'max_completion_tokens',
  reasoning_back: 'reasoning_details',
  reasoning_required: false,
  cached_tokens_at: 'prompt_tokens_details.cached_tokens',
  usage_at: 'usage',
  stop_max: 1_000,
  tool_name_max: 1_000,
  schema_keywords: [],
  developer_role: true,
  system_first: false,
  strict: false,
  store: true,
  stream_usage: true,
  done_marker: true,
};

/** A preset: its differences to `generic`, the hosts that get it, and the source. */
interface TraitPreset {
  hosts: readonly string[];
  traits: Partial<ProviderTraits>;
  source: string;
}

/** Local servers render messages with the template of the model, which refuses other orders and roles. */
const TEMPLATED = { developer_role: false, system_first: true } as const;

const PRESETS = {
  openai: {
    hosts: ['api.openai.com'],
    traits: { reasoning_back: 'none', stop_max: 4, tool_name_max: 64 },
    source: 'the types of openai-node: `stop` up to 4, names up to 64, no reasoning in messages',
  },
  mistral: {
    hosts: ['api.mistral.ai', 'codestral.mistral.ai'],
    traits: {
      output_limit: 'max_tokens',
      reasoning_back: 'content_parts',
      tool_name_max: 64,
      developer_role: false,
      strict: true,
      store: false,
      stream_usage: false,
    },
    source:
      '422 `extra_forbidden`: openclaude#739 (`max_completion_tokens`, `store`), crush#1590 (`reasoning_content`), ' +
      'anon-kode#53 (`stream_options`); nanobot#2494 (thinking as parts)',
  },
  groq: {
    hosts: ['api.groq.com'],
    traits: { reasoning_back: 'none', stop_max: 4, tool_name_max: 64, store: false },
    source: '400 “property reasoning_content is unsupported”: jan#8136, req_llm#772',
  },
  cerebras: {
    hosts: ['api.cerebras.ai'],
    traits: { reasoning_back: 'reasoning', stop_max: 4, tool_name_max: 64, strict: true, store: false },
    source:
      '400 “property reasoning_content is unsupported”: opencode#33413; `reasoning` is taken back, other unknown ' +
      'properties are refused: Empryo#209, qwen-code#11045',
  },
  moonshot: {
    hosts: ['api.moonshot.ai', 'api.moonshot.cn'],
    traits: {
      output_limit: 'max_tokens',
      reasoning_back: 'reasoning_content',
      reasoning_required: true,
      cached_tokens_at: 'cached_tokens',
      usage_at: 'choices.0.usage',
      stop_max: 5,
      tool_name_max: 64,
      developer_role: false,
      store: false,
    },
    source:
      'its API reference; 400 “thinking is enabled but reasoning_content is missing in assistant tool call ' +
      'message”, also where it is empty: llmgateway#2093; usage: pi#2017, vera-bench#97',
  },
  deepseek: {
    hosts: ['api.deepseek.com'],
    traits: {
      output_limit: 'max_tokens',
      reasoning_back: 'reasoning_content',
      reasoning_required: true,
      cached_tokens_at: 'prompt_cache_hit_tokens',
      stop_max: 16,
      tool_name_max: 64,
      developer_role: false,
      store: false,
    },
    source:
      'its API reference; 400 “The `reasoning_content` in the thinking mode must be passed back”, also where it ' +
      'is empty: hermes-agent#18263; the role `developer`: pi#1048',
  },
  xai: {
    hosts: ['api.x.ai'],
    traits: { reasoning_back: 'none', stop_max: 4, store: false },
    source: 'its API reference has no reasoning in messages',
  },
  together: {
    hosts: ['api.together.ai', 'api.together.xyz'],
    traits: { output_limit: 'max_tokens', reasoning_back: 'reasoning', tool_name_max: 64, store: false },
    source: 'its API reference: `max_tokens`, `reasoning`',
  },
  fireworks: {
    hosts: ['api.fireworks.ai'],
    traits: { output_limit: 'max_tokens', reasoning_back: 'reasoning_content', stop_max: 4, store: false },
    source: 'its API reference: `max_tokens`, `reasoning_content`',
  },
  openrouter: {
    hosts: ['openrouter.ai'],
    traits: { output_limit: 'max_tokens', reasoning_back: 'reasoning_details' },
    source: 'its guide on reasoning tokens: `reasoning_details` unchanged, in order',
  },
  vllm: {
    hosts: [],
    traits: { reasoning_back: 'reasoning', ...TEMPLATED },
    source:
      'its documentation of reasoning outputs: `reasoning`, formerly `reasoning_content`; 400 “System message ' +
      'must be at the beginning”: vllm#41114; 400 “Unexpected message role” for `developer`: ogx#6069',
  },
  ollama: {
    hosts: [],
    traits: { output_limit: 'max_tokens', reasoning_back: 'reasoning', ...TEMPLATED },
    source:
      'its list of compatible fields: `max_tokens`, `reasoning`; “System message must be at the beginning”: ' +
      'ollama#18241',
  },
  'llama-cpp': {
    hosts: [],
    traits: { output_limit: 'max_tokens', reasoning_back: 'reasoning_content', ...TEMPLATED },
    source:
      'the readme of its server: `max_tokens`, `reasoning_content`; “System message must be at the beginning”: ' +
      'llama.cpp#20733, `developer`: llama.cpp#20215',
  },
  'lm-studio': {
    hosts: [],
    traits: { output_limit: 'max_tokens', reasoning_back: 'reasoning_content', ...TEMPLATED },
    source: 'its list of compatible fields: `max_tokens`; it runs llama.cpp',
  },
  generic: { hosts: [], traits: {}, source: 'unknown hosts: requests pass unchanged' },
} as const satisfies Record<string, TraitPreset>;

export type TraitPresetName = keyof typeof PRESETS;
export const TRAIT_PRESETS: Readonly<Record<TraitPresetName, TraitPreset>> = PRESETS;

const NAMES: ReadonlySet<string> = new Set(Object.keys(PRESETS));
function isPresetName(name: string): name is TraitPresetName {
  return NAMES.has(name);
}

const presetName = z.string().refine(isPresetName, {
  error: `must be one of ${[...NAMES].join(', ')}`,
});

const TRAITS_OF_FILE = traitMembers.partial().extend({ preset: presetName.optional() });
/** `traits` of a provider in the catalog file: a preset, or single traits that differ from one. */
export const providerTraits = z.union([presetName, TRAITS_OF_FILE]);
export type NamedTraits = z.infer<typeof providerTraits>;

/** Every trait of a preset. */
export function presetTraits(name: TraitPresetName): ProviderTraits {
  return { ...GENERIC, ...TRAIT_PRESETS[name].traits };
}

/**
 * Returns the traits of a provider.
 * @param named its `traits` in the catalog; unknown members and names, of a newer release, are ignored
 * @param baseUrl undefined: the host is unknown
 */
export function traitsOf(named: unknown, baseUrl: string | undefined): ProviderTraits {
  const ofHost = baseUrl === undefined ? 'generic' : presetOfHost(new URL(baseUrl).hostname);
  if (typeof named === 'string') return presetTraits(isPresetName(named) ? named : ofHost);
  const { preset, ...single } = knownTraits(named);
  return traitMembers.parse({ ...presetTraits(preset ?? ofHost), ...single });
}

function presetOfHost(host: string): TraitPresetName {
  const found = Object.entries(TRAIT_PRESETS).find(([, { hosts }]) =>
    hosts.some((one) => host === one || host.endsWith(`.${one}`)),
  );
  return found !== undefined && isPresetName(found[0]) ? found[0] : 'generic';
}

/** Drops members and values that only a newer release knows. */
function knownTraits(named: unknown): Exclude<NamedTraits, string> {
  if (typeof named !== 'object' || named === null) return {};
  const known = Object.entries(named).filter(([name, value]) => {
    return TRAITS_OF_FILE.safeParse({ [name]: value }).success;
  });
  return TRAITS_OF_FILE.parse(Object.fromEntries(known));
}

/** The meaning of each trait, for the documentation. */
export const TRAIT_DESCRIPTIONS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(traitMembers.shape).map(([name, { description = '' }]) => [name, description]),
);
