import { z } from 'zod';

/**
 * POST /api/playground/chat. The response is the gateway's to POST /v1/chat/completions with `stream: true`,
 * errors and x-request-id included; that id leads to the receipt once the stream has ended.
 */
export const playgroundChatRequest = z.object({
  model: z.string().min(1).max(200),
  messages: z
    .array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
    .min(1)
    .max(200),
  maxTokens: z.number().int().min(1).max(1_000_000).optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** The seat that pays; left out: the account. */
  seatId: z.string().optional(),
});
export type PlaygroundChatRequest = z.infer<typeof playgroundChatRequest>;
