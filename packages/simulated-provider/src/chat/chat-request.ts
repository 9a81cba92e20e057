import { z } from 'zod';
import { count } from '../schemas/members.ts';

const contentPart = z.looseObject({ type: z.string(), text: z.string().optional() });

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
  name: z.string().nullish(),
  tool_calls: z.array(z.looseObject({})).nullish(),
});

const tool = z.looseObject({
  type: z.string(),
  function: z.looseObject({ name: z.string().min(1), parameters: z.unknown() }).optional(),
});

/** The fields of a chat request that are read; all others are accepted and ignored. */
export const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1, 'expected at least one message'),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: count(1).nullish(),
  max_completion_tokens: count(1).nullish(),
  n: count(1, 128).nullish(),
  service_tier: z.string().nullish(),
  tools: z.array(tool).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  tool_choice: z
    .union([z.string(), z.looseObject({ function: z.looseObject({ name: z.string() }).optional() })])
    .nullish(),
  response_format: z
    .looseObject({
      type: z.string(),
      json_schema: z
        .looseObject({ name: z.string().optional(), schema: z.unknown(), strict: z.boolean().nullish() })
        .nullish(),
    })
    .nullish(),
});

export type ChatRequest = z.infer<typeof chatRequest>;
export type ChatMessage = ChatRequest['messages'][number];

/** Notes for the model that coding agents add to the user's words. */
const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>\s*/g;

export function messageText({ content }: ChatMessage): string {
  if (content === null || content === undefined) return '';
  const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n');
  return text.replace(REMINDER, '');
}
