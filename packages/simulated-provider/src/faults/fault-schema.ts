import { z } from 'zod';

const milliseconds = z.number().min(0).max(600_000);
const afterEvents = z.strictObject({ after_events: z.int().min(0).max(1_000_000) });
const moment = z.union(
  [z.literal(['before_headers', 'after_headers']), afterEvents],
  'expected "before_headers", "after_headers" or {"after_events": n}',
);
const headerText = z.string().regex(/^[\t\x20-\x7e]*$/, 'expected visible ASCII');

/**
 * The test knobs: what a request may carry in its field `simulate`, and what `script` queues. The table in
 * this package's README says what each one does. Unknown knobs are refused, so that a typing error cannot
 * pass a test.
 */
export const faultSchema = z.strictObject({
  delay_ms: milliseconds.optional(),
  token_delay_ms: milliseconds.optional(),
  status: z.int().min(300).max(599).optional(),
  message: z.string().optional(),
  retry_after: z.union([headerText, z.number()]).optional(),
  reset: moment.optional(),
  truncate: afterEvents.optional(),
  hang: moment.optional(),
  rubbish: z.enum(['html', 'text', 'bad_json', 'bad_chunk', 'wrong_shape', 'empty']).optional(),
  sse: z
    .enum([
      'huge_line',
      'no_blank_line',
      'no_done',
      'done_twice',
      'start_twice',
      'crlf',
      'error_event',
      'comments',
      'pings_only',
      'bad_checksum',
    ])
    .optional(),
  usage: z.enum(['missing', 'absurd', 'huge', 'worded', 'on_last_chunk', 'raised_at_end']).optional(),
  set_cookie: z.boolean().optional(),
  echo_credential: z.boolean().optional(),
  content: z.string().optional(),
  cached_tokens: z.int().min(0).optional(),
  reasoning_tokens: z.int().min(0).optional(),
  web_searches: z.int().min(0).optional(),
  stop_reason: z.string().min(1).optional(),
  redacted_thinking: z.boolean().optional(),
  merge_roles: z.boolean().optional(),
  framing: z.literal('cl_and_te').optional(),
});

export type Fault = z.infer<typeof faultSchema>;
