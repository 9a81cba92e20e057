import { z } from 'zod';

/** https://docs.cohere.com/reference/chat. Members that it does not know are refused. */

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });
const thinkingPart = z.strictObject({ type: z.literal('thinking'), thinking: z.string().min(1) });
const picturePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z.string().regex(/^(https?:\/\/|data:image\/)/, 'expected a URL of a picture'),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
});

const words = (part: z.ZodType) =>
  z.union([z.string().min(1, 'must have content'), z.array(part).min(1, 'must have content')]);

const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
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

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().min(1),
    description: z.string().optional(),
    parameters: z.looseObject({ type: z.literal('object') }),
  }),
});

export const cohereChatRequest = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1, 'must have messages'),
  stream: z.boolean().optional(),
  tools: z.array(tool).optional(),
  tool_choice: z.enum(['REQUIRED', 'NONE']).optional(),
  strict_tools: z.boolean().optional(),
  response_format: z
    .strictObject({
      type: z.enum(['text', 'json_object']),
      json_schema: z.looseObject({ type: z.literal('object') }).optional(),
    })
    .optional(),
  max_tokens: z.int().min(1).optional(),
  stop_sequences: z.array(z.string()).max(5).optional(),
  temperature: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
  frequency_penalty: z.number().min(0).max(1).optional(),
  presence_penalty: z.number().min(0).max(1).optional(),
  k: z.number().min(0).max(500).optional(),
  p: z.number().min(0.01).max(0.99).optional(),
  thinking: z
    .strictObject({ type: z.enum(['enabled', 'disabled']), token_budget: z.int().min(1).optional() })
    .optional(),
  /** The test knobs. */
  simulate: z.unknown().optional(),
});

export type CohereChatRequest = z.infer<typeof cohereChatRequest>;
export type CohereMessage = CohereChatRequest['messages'][number];
