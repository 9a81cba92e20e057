import { z } from 'zod';
import { count, oneOf } from '../schemas/members.ts';

const milliseconds = z.number().min(0).max(600_000).optional();
const afterEvents = z.strictObject({ after_events: z.int().min(0).max(1_000_000) });
const moment = z
  .union(
    [oneOf('before_headers after_headers'), afterEvents],
    'expected "before_headers", "after_headers" or {"after_events": n}',
  )
  .optional();
const headerText = z.string().regex(/^[\t\x20-\x7e]*$/, 'expected visible ASCII');
const text = z.string().optional();
const flag = z.boolean().optional();

/**
 * The knobs for tests: a request has them in its field `simulate`, and `script` queues them. This package's
 * README explains each. Unknown knobs are refused, so that a typing error cannot pass a test.
 */
export const faultSchema = z.strictObject({
  delay_ms: milliseconds,
  token_delay_ms: milliseconds,
  status: z.int().min(300).max(599).optional(),
  message: text,
  body: text,
  retry_after: z.union([headerText, z.number()]).optional(),
  reset: moment,
  truncate: afterEvents.optional(),
  hang: moment,
  rubbish: oneOf('html text bad_json bad_chunk wrong_shape empty').optional(),
  sse: oneOf(
    'huge_line no_blank_line no_done done_twice start_twice',
    'crlf error_event comments pings_only bad_checksum',
  ).optional(),
  usage: oneOf('missing absurd huge worded on_last_chunk raised_at_end').optional(),
  billed: flag,
  set_cookie: flag,
  echo_credential: flag,
  content: text,
  cached_tokens: count(0).optional(),
  reasoning_tokens: count(0).optional(),
  web_searches: count(0).optional(),
  stop_reason: z.string().min(1).optional(),
  redacted_thinking: flag,
  merge_roles: flag,
  framing: z.literal('cl_and_te').optional(),
});

export type Fault = z.infer<typeof faultSchema>;
