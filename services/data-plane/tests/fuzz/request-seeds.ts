import type { ChatApi } from '@model-gateway/dialects';
import { HOSTILE_CHATS } from '../matrix/hostile-chats.ts';
import type { Json } from './mutate.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SCHEMA: Json = {
  type: 'object',
  properties: {
    a: { type: 'number' },
    b: { type: ['string', 'null'], enum: ['x', null] },
    c: { $ref: '#/$defs/d' },
  },
  required: ['a'],
  additionalProperties: false,
  $defs: { d: { anyOf: [{ type: 'array', items: { type: 'string' } }, { const: 1 }] } },
};
const model = 'acme/small';
const DETAIL: Json = {
  type: 'reasoning.text',
  text: 'b',
  signature: 'c',
  format: 'anthropic-claude-v1',
  index: 0,
};

const chat: Json = {
  model,
  messages: [
    { role: 'system', content: 'Be kind.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      reasoning_details: [DETAIL],
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'double', arguments: '{"a":1}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: '2' }] },
    { role: 'developer', content: 'Whisper.' },
    { role: 'user', content: 'and now?', name: 'ann' },
  ],
  tools: [
    { type: 'function', function: { name: 'double', description: 'd', parameters: SCHEMA, strict: true } },
  ],
  tool_choice: { type: 'function', function: { name: 'double' } },
  parallel_tool_calls: false,
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } },
  max_completion_tokens: 100,
  temperature: 0.5,
  top_p: 0.9,
  stop: ['x'],
  seed: 1,
  n: 1,
  reasoning_effort: 'low',
  stream: true,
  stream_options: { include_usage: true },
  metadata: { a: 'b' },
  service_tier: 'auto',
  user: 'u',
};

const messages: Json = {
  model,
  max_tokens: 2_000,
  system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
          title: 't',
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'ZGF0YQ==' },
        { type: 'tool_use', id: 'toolu_1', name: 'double', input: { a: 1 } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          is_error: false,
          content: [{ type: 'text', text: '2' }],
        },
        { type: 'text', text: 'and now?', cache_control: { type: 'ephemeral' } },
      ],
    },
  ],
  tools: [
    { name: 'double', description: 'd', input_schema: SCHEMA, strict: true },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
  ],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 1_024 },
  output_config: { effort: 'low', format: { type: 'json_schema', schema: SCHEMA } },
  stop_sequences: ['x'],
  temperature: 1,
  top_k: 5,
  metadata: { user_id: 'u' },
  stream: true,
};

const responses: Json = {
  model,
  instructions: 'Be kind.',
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'look' },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      ],
    },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'eA==',
    },
    { type: 'function_call', call_id: 'c1', name: 'double', arguments: '{"a":1}' },
    { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: '2' }] },
    { type: 'custom_tool_call', call_id: 'c2', name: 'write', input: 'x' },
    { type: 'custom_tool_call_output', call_id: 'c2', output: 'y' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok', annotations: [] }] },
    { role: 'developer', content: 'Whisper.' },
  ],
  tools: [
    { type: 'function', name: 'double', description: 'd', parameters: SCHEMA, strict: true },
    { type: 'custom', name: 'write', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
    {
      type: 'namespace',
      name: 'n',
      description: 'd',
      tools: [{ type: 'function', name: 'f', parameters: SCHEMA }],
    },
    { type: 'web_search' },
  ],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'double' }] },
  text: { format: { type: 'json_schema', name: 'answer', schema: SCHEMA, strict: true }, verbosity: 'low' },
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  max_output_tokens: 2_000,
  parallel_tool_calls: true,
  temperature: 1,
  store: false,
  stream: true,
  truncation: 'disabled',
  metadata: { a: 'b' },
  prompt_cache_key: 'k',
};

/** Requests with many features of their API, and with each one alone, so that one refusal hides no other. */
export const REQUEST_SEEDS: Readonly<Record<ChatApi, readonly Json[]>> = {
  'chat-completions': [
    chat,
    ...alone(chat, { model, messages: [{ role: 'user', content: 'hello' }] }),
    ...Object.values(HOSTILE_CHATS).map((one): Json => ({ model, ...JSON.parse(JSON.stringify(one)) })),
  ],
  messages: [
    messages,
    ...alone(messages, { model, max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] }),
  ],
  responses: [responses, ...alone(responses, { model, input: 'hello' })],
};

function alone(request: Json, minimal: { [name: string]: Json }): Json[] {
  return Object.entries(Object(request)).map(
    ([name, value]): Json => ({ ...minimal, [name]: JSON.parse(JSON.stringify(value)) }),
  );
}

/** Requests of the other capabilities. */
/** Requests of text completions, which are never translated. */
export const COMPLETIONS_REQUESTS: readonly Json[] = [
  {
    model,
    prompt: ['a', 'b'],
    n: 2,
    best_of: 3,
    echo: true,
    suffix: 'c',
    max_tokens: 20,
    stop: ['x'],
    logprobs: 1,
  },
  { model, prompt: [[1, 2], [3]], stream: true, stream_options: { include_usage: true }, max_tokens: 20 },
  { model, prompt: 'a', n: 2, stream: true, echo: true, user: 'u' },
];

export const CAPABILITY_REQUESTS = {
  embeddings: [
    { model, input: ['a', 'b'], encoding_format: 'base64', dimensions: 256, user: 'u', input_type: 'query' },
    { model, input: 'a' },
    { model, input: [[1, 2], [3]] },
  ],
  rerank: [
    {
      model,
      query: 'a',
      documents: ['b', { text: 'c' }],
      top_n: 1,
      return_documents: true,
      max_chunks_per_doc: 2,
    },
    { model, query: 'a', documents: ['b'] },
  ],
  moderation: [
    { model, input: ['a', 'b'] },
    { model, input: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
  ],
  images: [
    {
      model,
      prompt: 'a',
      n: 2,
      size: '1024x1024',
      quality: 'high',
      response_format: 'b64_json',
      background: 'opaque',
    },
    { model, prompt: 'a', stream: true, partial_images: 1 },
  ],
  speech: [
    { model, input: 'a', voice: 'alloy', response_format: 'wav', speed: 1.2, instructions: 'b' },
    { model, input: 'a', voice: 'Kore', stream_format: 'sse' },
  ],
} satisfies Record<string, readonly Json[]>;
