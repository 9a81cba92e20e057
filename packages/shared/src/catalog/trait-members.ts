import { z } from 'zod';

/** A path in a response: names and numbers of entries, separated by dots. */
const responsePath = z
  .string()
  .regex(/^\w+(?:\.\w+)*$/, 'not a path such as "usage" or "choices.0.usage"')
  .meta({ title: 'a path in the response' });

/** Differences between servers that have OpenAI's Chat Completions API. */
export const traitMembers = z.strictObject({
  output_limit: z
    .enum(['max_completion_tokens', 'max_tokens'])
    .describe('The name of the output limit. A request with the other name is changed.'),
  reasoning_back: z
    .enum(['none', 'reasoning_content', 'reasoning', 'reasoning_details', 'content_parts'])
    .describe(
      'How requests send earlier reasoning back: not at all, as text under one of two names, as ' +
        '`reasoning_details` with the text, or as `thinking` parts of the content.',
    ),
  reasoning_required: z
    .boolean()
    .describe(
      'Whether assistant messages with tool calls need earlier reasoning. Where it is gone, a space is sent.',
    ),
  cached_tokens_at: responsePath.describe('Where in its usage the number of cached input tokens is.'),
  usage_at: responsePath.describe('Where in a response, or in a chunk of a stream, the usage is.'),
  stop_max: z.int().min(0).max(1_000).describe('The highest number of stop sequences.'),
  tool_name_max: z
    .int()
    .min(1)
    .max(1_000)
    .describe('The highest number of characters in the name of a tool.'),
  schema_keywords: z
    .array(z.string().min(1).max(64))
    .max(64)
    .meta({ title: 'a list of keywords' })
    .describe(
      'Keywords of JSON Schema that the server refuses. They are removed from schemas of tools and outputs.',
    ),
  developer_role: z
    .boolean()
    .describe('Whether messages may have the role `developer`. Without, they become `system`.'),
  system_first: z
    .boolean()
    .describe('Whether only the first message may be a system message. Later ones are merged into it.'),
  strict: z
    .boolean()
    .describe(
      'Whether the server refuses members that only OpenAI has. Then `verbosity`, `prompt_cache_key`, ' +
        '`prompt_cache_retention`, `safety_identifier`, and in messages `refusal`, `annotations`, `audio`, ' +
        '`function_call` and `name` are removed.',
    ),
  store: z.boolean().describe('Whether requests may have `store`. Without, it is removed.'),
  stream_usage: z
    .boolean()
    .describe('Whether requests may have `stream_options`. Without, the server always sends usage.'),
  done_marker: z
    .boolean()
    .describe('Whether a stream is complete only with `[DONE]`. Without, a finish reason is enough.'),
});

export type ProviderTraits = Readonly<z.infer<typeof traitMembers>>;
