import { z } from 'zod';
import { count, oneOf, typed } from '../schemas/members.ts';

/** https://docs.cohere.com/reference/chat. Unknown members are refused. */

const textPart = typed('text', { text: z.string() });
const thinkingPart = typed('thinking', { thinking: z.string().min(1) });
const picturePart = typed('image_url', {
  image_url: z.strictObject({
    url: z.string().regex(/^(https?:\/\/|data:image\/)/, 'expected a URL of a picture'),
    detail: oneOf('auto low high').optional(),
  }),
});

const words = (part: z.ZodType) =>
  z.union([z.string().min(1, 'must have content'), z.array(part).min(1, 'must have content')]);
const between = (minimum: number, maximum: number) => z.number().min(minimum).max(maximum).optional();
const flag = z.boolean().optional();
const objectSchema = z.looseObject({ type: z.literal('object') });

const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
});
const tool = typed('function', {
  function: z.strictObject({
    name: z.string().min(1),
    description: z.string().optional(),
    parameters: objectSchema,
  }),
});

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: words(textPart) }),
  z.strictObject({ role: z.literal('user'), content: words(z.union([textPart, picturePart])) }),
  z.strictObject({
    role: z.literal('assistant'),
    content: words(z.union([textPart, thinkingPart])).optional(),
    tool_plan: z.string().optional(),
    tool_calls: z.array(call).min(1).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: words(textPart) }),
]);

export const cohereChatRequest = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1, 'must have messages'),
  stream: flag,
  tools: z.array(tool).optional(),
  tool_choice: oneOf('REQUIRED NONE').optional(),
  strict_tools: flag,
  response_format: z
    .strictObject({ type: oneOf('text json_object'), json_schema: objectSchema.optional() })
    .optional(),
  max_tokens: count(1).optional(),
  stop_sequences: z.array(z.string()).max(5).optional(),
  temperature: between(0, 1),
  seed: z.int().optional(),
  frequency_penalty: between(0, 1),
  presence_penalty: between(0, 1),
  k: between(0, 500),
  p: between(0.01, 0.99),
  thinking: z.strictObject({ type: oneOf('enabled disabled'), token_budget: count(1).optional() }).optional(),
});

export type CohereChatRequest = z.infer<typeof cohereChatRequest>;
