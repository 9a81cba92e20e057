import { z } from 'zod';
import { cacheable, contentBlocks, systemBlocks } from './content-block.ts';
import { explainIssue } from './explain-issue.ts';

/** The largest `max_tokens` of a simulated model. */
export const MAX_OUTPUT_TOKENS = 64_000;

const between = (minimum: number, maximum: number) =>
  z
    .number()
    .min(minimum, `Input should be greater than or equal to ${minimum}`)
    .max(maximum, `Input should be less than or equal to ${maximum}`)
    .nullish();

const message = z.strictObject({
  role: z.string(),
  content: contentBlocks,
});

const toolName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,128}$/, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'");
const customTool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: toolName,
  description: z.string().nullish(),
  input_schema: z.looseObject({ type: z.literal('object', "Input should be 'object'") }),
  strict: z.boolean().nullish(),
  eager_input_streaming: z.boolean().nullish(),
  defer_loading: z.boolean().nullish(),
  allowed_callers: z.array(z.string()).nullish(),
  input_examples: z.array(z.looseObject({})).nullish(),
  ...cacheable,
});
/** A tool that the provider runs, or whose schema it knows: it has a type, and members of its own. */
const providerTool = z.looseObject({ type: z.string(), name: z.string().nullish(), ...cacheable });
const isCustom = (tool: unknown) =>
  typeof tool !== 'object' ||
  tool === null ||
  !('type' in tool) ||
  tool.type === 'custom' ||
  tool.type === null;

const tool = z.unknown().transform((value, context) => {
  const isOfCaller = isCustom(value);
  const parsed = (isOfCaller ? customTool : providerTool).safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const { message, path } = explainIssue(issue);
    // As in Anthropic's messages, which kind of tool was expected is a part of the path.
    const kind = isOfCaller ? ['custom'] : [];
    context.issues.push({ code: 'custom', input: value, message, path: [...kind, ...path] });
  }
  return z.NEVER;
});

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };
const toolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), ...parallel }),
  z.strictObject({ type: z.literal('any'), ...parallel }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
  z.strictObject({ type: z.literal('none') }),
]);

const display = { display: z.enum(['summarized', 'omitted']).nullish() };
const thinking = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('enabled'),
    budget_tokens: z.int().min(1024, 'Input should be greater than or equal to 1024'),
    ...display,
  }),
  z.strictObject({ type: z.literal('adaptive'), ...display }),
  z.strictObject({ type: z.literal('between_tools') }),
  z.strictObject({ type: z.literal('disabled') }),
]);

const outputConfig = z.looseObject({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: z.strictObject({ type: z.literal('json_schema'), schema: z.looseObject({}) }).nullish(),
});

/** The members that are read. Which others a request may have is said in request-members.ts. */
export const messagesRequest = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1, 'at least one message is required'),
  max_tokens: z
    .int()
    .min(1, 'Input should be greater than or equal to 1')
    .max(MAX_OUTPUT_TOKENS, `must be at most ${MAX_OUTPUT_TOKENS}, the most that this model gives`),
  system: systemBlocks.nullish(),
  stream: z.boolean().nullish(),
  stop_sequences: z.array(z.string().regex(/\S/, 'each stop sequence must contain non-whitespace')).nullish(),
  temperature: between(0, 1),
  top_p: between(0, 1),
  top_k: z.int().min(0).nullish(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).nullish(),
  service_tier: z.enum(['auto', 'standard_only']).nullish(),
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

/** Returns true if an answer begins with thinking. */
export function isThinking(request: MessagesRequest): boolean {
  const type = request.thinking?.type;
  if (type !== 'between_tools') return type === 'enabled' || type === 'adaptive';
  return (
    turnsOf(request)
      .at(-1)
      ?.content.some((block) => block.type === 'tool_result') ?? false
  );
}
