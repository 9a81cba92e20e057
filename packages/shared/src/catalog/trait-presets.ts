import type { ProviderTraits } from './trait-members.ts';

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
