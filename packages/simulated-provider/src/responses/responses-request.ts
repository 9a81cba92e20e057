import { z } from 'zod';
import { count, oneOf, typed } from '../schemas/members.ts';
import { inputItem } from './input-item.ts';
import { functionName, jsonObject, tool, toolChoice } from './tool.ts';

/** OpenAI's reference: the smallest `max_output_tokens`. */
const MIN_OUTPUT_TOKENS = 16;
const text = z.string().nullish();
const key = z.string().max(64).nullish();
const flag = z.boolean().nullish();
const between = (minimum: number, maximum: number) => z.number().min(minimum).max(maximum).nullish();

const includable = oneOf(
  'file_search_call.results web_search_call.results web_search_call.action.sources',
  'message.input_image.image_url computer_call_output.output.image_url code_interpreter_call.outputs',
  'reasoning.encrypted_content message.output_text.logprobs',
);
const summary = oneOf('auto concise detailed').nullish();
const reasoning = z.strictObject({
  effort: oneOf('none minimal low medium high xhigh max').nullish(),
  summary,
  generate_summary: summary,
  context: oneOf('auto current_turn all_turns').nullish(),
  mode: text,
});
const format = z.discriminatedUnion('type', [
  typed('text', {}),
  typed('json_object', {}),
  typed('json_schema', { name: functionName, schema: jsonObject, description: text, strict: flag }),
]);

/** All members that a request may have. */
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
  include: z.array(includable).nullish(),
  max_output_tokens: count(MIN_OUTPUT_TOKENS).nullish(),
  max_tool_calls: count(1).nullish(),
  tools: z.array(tool).max(128).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: flag,
  reasoning: reasoning.nullish(),
  text: z.strictObject({ format: format.nullish(), verbosity: oneOf('low medium high').nullish() }).nullish(),
  temperature: between(0, 2),
  top_p: between(0, 1),
  top_logprobs: count(0, 20).nullish(),
  presence_penalty: between(-2, 2),
  frequency_penalty: between(-2, 2),
  truncation: oneOf('auto disabled').nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: text,
  safety_identifier: key,
  prompt_cache_key: key,
  prompt_cache_retention: oneOf('in_memory 24h').nullish(),
  prompt_cache_options: jsonObject.nullish(),
  service_tier: oneOf('auto default flex scale priority fast').nullish(),
  context_management: z.array(z.looseObject({ type: z.string() })).nullish(),
  moderation: jsonObject.nullish(),
  image: jsonObject.nullish(),
  access_programs: jsonObject.nullish(),
  /** Codex stores the turn of a request here. */
  client_metadata: jsonObject.nullish(),
});

export type ResponsesRequest = z.infer<typeof responsesRequest>;

/** Returns true if an answer begins with reasoning. */
export function isReasoning({ reasoning: config }: ResponsesRequest): boolean {
  if (config?.effort === 'none') return false;
  return Boolean(config?.effort ?? config?.summary);
}
