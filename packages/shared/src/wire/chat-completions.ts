import { z } from 'zod';

/**
 * POST /v1/chat/completions. The schema checks what the gateway relies on (routing, streaming, metering)
 * and lets every other field pass untouched, so that new provider features need no release of ours.
 */

const contentPart = z.looseObject({ type: z.string() });

const message = z
  .looseObject({
    role: z.string().min(1),
    content: z
      .union([z.string(), z.array(contentPart)], 'expected a string or an array of content parts')
      .nullish(),
    tool_calls: z.array(z.looseObject({})).nullish(),
    function_call: z.looseObject({}).nullish(),
  })
  .check((context) => {
    const { content, role, tool_calls, function_call } = context.value;
    if (content !== null && content !== undefined) return;
    if (role === 'assistant' && (tool_calls?.length || function_call)) return;
    context.issues.push({
      code: 'custom',
      path: ['content'],
      input: content,
      message: 'content may be null or absent only in an assistant message that carries tool calls',
    });
  });

const tokenCount = z.int().min(1).nullish();

const request = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1, 'must not be empty'),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: tokenCount,
  max_completion_tokens: tokenCount,
  n: z.int().min(1).max(128).nullish(),
});

/** Checks the request, and keeps of it what the gateway itself needs to know. */
export const chatCompletionsRequest = request.transform((value) => ({
  model: value.model,
  streamed: value.stream === true,
  streamOptions: value.stream_options ?? {},
  /** Per choice; undefined: the caller left it to the model. A provider may know only one of the two names. */
  maxOutputTokens: largest(value.max_completion_tokens, value.max_tokens),
  choices: value.n ?? 1,
  mediaParts: mediaParts(value.messages),
}));

export type ChatCompletionsRequest = z.infer<typeof chatCompletionsRequest>;

function largest(...given: (number | null | undefined)[]): number | undefined {
  const counts = given.filter((count) => typeof count === 'number');
  return counts.length === 0 ? undefined : Math.max(...counts);
}

const TEXT_PARTS = new Set(['text', 'refusal']);

/**
 * Images, audio and files. Their length in the request says little of their tokens: a URL or a file id stands for
 * something of any size, and a well-compressed image is more tokens than bytes.
 */
function mediaParts(messages: readonly z.infer<typeof message>[]): number {
  let count = 0;
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const { type } of content) if (!TEXT_PARTS.has(type)) count++;
  }
  return count;
}

const tokens = z.int().min(0).max(1_000_000_000);

/** A provider's own count. Anything absurd fails the parse, and is then not believed. */
export const chatUsage = z.looseObject({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  total_tokens: tokens.nullish(),
  prompt_tokens_details: z.looseObject({ cached_tokens: tokens.nullish() }).nullish(),
});

export type ChatUsage = z.infer<typeof chatUsage>;
