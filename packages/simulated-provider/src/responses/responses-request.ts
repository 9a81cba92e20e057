import { z } from 'zod';
import { inputItem } from './input-item.ts';
import { tool, toolChoice } from './tool.ts';

/** OpenAI's reference: the smallest `max_output_tokens`. */
const MIN_OUTPUT_TOKENS = 16;
const text = z.string().nullish();
const flag = z.boolean().nullish();
const between = (minimum: number, maximum: number) => z.number().min(minimum).max(maximum).nullish();
const jsonObject = z.record(z.string(), z.unknown());

const INCLUDABLE = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
] as const;

const reasoning = z.strictObject({
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
  generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
  context: z.enum(['auto', 'current_turn', 'all_turns']).nullish(),
  mode: text,
});

const format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[a-zA-Z0-9_-]+$/),
    schema: jsonObject,
    description: text,
    strict: flag,
  }),
]);

/** All members that a request may have. The knobs of this simulation are checked where they are read. */
export const responsesRequest = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(inputItem).min(1)]).nullish(),
  instructions: text,
  stream: flag,
  stream_options: z.strictObject({ include_obfuscation: flag }).nullish(),
  store: flag,
  background: flag,
  previous_response_id: text,
  conversation: z.union([z.string(), z.strictObject({ id: z.string() })]).nullish(),
  prompt: z.looseObject({ id: z.string() }).nullish(),
  include: z.array(z.enum(INCLUDABLE)).nullish(),
  max_output_tokens: z.int().min(MIN_OUTPUT_TOKENS).nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  tools: z.array(tool).max(128).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: flag,
  reasoning: reasoning.nullish(),
  text: z
    .strictObject({ format: format.nullish(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .nullish(),
  temperature: between(0, 2),
  top_p: between(0, 1),
  top_logprobs: z.int().min(0).max(20).nullish(),
  presence_penalty: between(-2, 2),
  frequency_penalty: between(-2, 2),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: text,
  safety_identifier: z.string().max(64).nullish(),
  prompt_cache_key: z.string().max(64).nullish(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  prompt_cache_options: jsonObject.nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']).nullish(),
  context_management: z.array(z.looseObject({ type: z.string() })).nullish(),
  moderation: jsonObject.nullish(),
  image: jsonObject.nullish(),
  access_programs: jsonObject.nullish(),
  /** Codex notes here which of its turns a request belongs to. */
  client_metadata: jsonObject.nullish(),
  simulate: z.unknown().optional(),
});

export type ResponsesRequest = z.infer<typeof responsesRequest>;

/** Returns true if an answer begins with reasoning. */
export function isReasoning({ reasoning: config }: ResponsesRequest): boolean {
  if (config?.effort === 'none') return false;
  return Boolean(config?.effort ?? config?.summary);
}
