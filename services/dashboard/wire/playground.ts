import { z } from 'zod';

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const picturePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string().startsWith('data:image/', 'must be an image as a data URL') }),
});
const toolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

/** The messages of the conversation, as in POST /v1/chat/completions. */
const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textPart, picturePart]))]),
  }),
  z.object({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(toolCall).min(1).optional(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);

/** The API that a chat uses: /v1/chat/completions, /v1/messages or /v1/responses. */
export const playgroundApi = z.enum(['chat_completions', 'messages', 'responses']);
export type PlaygroundApi = z.infer<typeof playgroundApi>;

/**
 * POST /api/playground/chat. The response is the gateway's to a streamed request of the chosen API, errors
 * and x-request-id included; that id leads to the receipt once the stream has ended.
 */
export const playgroundChatRequest = z.object({
  api: playgroundApi.default('chat_completions'),
  model: z.string().min(1).max(200),
  messages: z.array(message).min(1).max(200),
  maxTokens: z.number().int().min(1).max(1_000_000).optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** As in Chat Completions; the gateway checks them. */
  tools: z.array(z.record(z.string(), z.unknown())).min(1).max(128).optional(),
  /** The seat that pays; left out: the account. */
  seatId: z.string().optional(),
});
export type PlaygroundChatRequest = z.infer<typeof playgroundChatRequest>;
