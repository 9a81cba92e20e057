import { z } from 'zod';
import { anyObject, oneOf, typed } from '../schemas/members.ts';
import { cacheable, contentBlocks, systemBlocks } from './content-block.ts';
import { parseAs } from './explain-anthropic-issue.ts';

/** The largest `max_tokens` of a simulated model. */
export const MAX_OUTPUT_TOKENS = 64_000;

const text = z.string().nullish();
const flag = z.boolean().nullish();
const texts = z.array(z.string());
const atLeast = (minimum: number) => `Input should be greater than or equal to ${minimum}`;
const share = z.number().min(0, atLeast(0)).max(1, 'Input should be less than or equal to 1').nullish();
const toolName = /^[a-zA-Z0-9_-]{1,128}$/;

const customTool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(toolName, `String should match pattern '${toolName.source}'`),
  description: text,
  input_schema: z.looseObject({ type: z.literal('object', "Input should be 'object'") }),
  strict: flag,
  eager_input_streaming: flag,
  defer_loading: flag,
  allowed_callers: texts.nullish(),
  input_examples: z.array(anyObject).nullish(),
  ...cacheable,
});
/** A tool that the provider runs, or whose schema it knows: it has a type, and members of its own. */
const providerTool = z.looseObject({ type: z.string(), name: text, ...cacheable });

const tool = z.unknown().transform((value, context) => {
  const type: unknown = Object(value).type;
  const isProvided = type !== undefined && type !== null && type !== 'custom';
  const parsed = isProvided
    ? parseAs(providerTool, value, [], context)
    : parseAs(customTool, value, ['custom'], context);
  return parsed ?? z.NEVER;
});

const parallel = { disable_parallel_tool_use: flag };
const toolChoice = z.discriminatedUnion('type', [
  typed('auto', parallel),
  typed('any', parallel),
  typed('tool', { name: z.string(), ...parallel }),
  typed('none', {}),
]);

const display = { display: oneOf('summarized omitted').nullish() };
const thinking = z.discriminatedUnion('type', [
  typed('enabled', { budget_tokens: z.int().min(1024, atLeast(1024)), ...display }),
  typed('adaptive', display),
  typed('between_tools', {}),
  typed('disabled', {}),
]);

const outputConfig = z.looseObject({
  effort: oneOf('low medium high xhigh max').nullish(),
  format: typed('json_schema', { schema: anyObject }).nullish(),
});

/** The members that are read. parse-request.ts knows which others a request may have. */
export const messagesRequest = z.looseObject({
  model: z.string(),
  messages: z
    .array(z.strictObject({ role: z.string(), content: contentBlocks }))
    .min(1, 'at least one message is required'),
  max_tokens: z
    .int()
    .min(1, atLeast(1))
    .max(MAX_OUTPUT_TOKENS, `must be at most ${MAX_OUTPUT_TOKENS}, the most that this model gives`),
  system: systemBlocks.nullish(),
  stream: flag,
  stop_sequences: z.array(z.string().regex(/\S/, 'each stop sequence must contain non-whitespace')).nullish(),
  temperature: share,
  top_p: share,
  top_k: z.int().min(0).nullish(),
  metadata: z.strictObject({ user_id: text }).nullish(),
  service_tier: oneOf('auto standard_only').nullish(),
  thinking: thinking.nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  output_config: outputConfig.nullish(),
  ...cacheable,
});

export type MessagesRequest = z.infer<typeof messagesRequest>;
export type RequestMessage = MessagesRequest['messages'][number];

/** Returns the messages of user and assistant, without instructions between them. */
export function turnsOf({ messages }: Pick<MessagesRequest, 'messages'>): RequestMessage[] {
  return messages.filter(({ role }) => role !== 'system');
}

/** Returns true if the last turn has results of tools. */
export function endsWithResults(request: Pick<MessagesRequest, 'messages'>): boolean {
  const last = turnsOf(request).at(-1);
  return last?.content.some(({ type }) => type === 'tool_result') ?? false;
}

/** Returns true if an answer begins with thinking. */
export function isThinking(request: MessagesRequest): boolean {
  const type = request.thinking?.type;
  return type === 'between_tools' ? endsWithResults(request) : type === 'enabled' || type === 'adaptive';
}
