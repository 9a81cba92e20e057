import { z } from 'zod';
import { ERROR_CODES } from './error-codes.ts';

const usd = z.string().regex(/^\d+\.\d{9}$/, 'dollars with nine decimals');

const types = [...new Set(Object.values(ERROR_CODES).map(({ type }) => type))];
const codes = Object.keys(ERROR_CODES);

const error = z.object({
  message: z.string().min(1).describe('One sentence that says what to do next.'),
  type: z.enum(types),
  code: z.enum(codes),
  param: z.string().nullable().describe('JSON path of the offending field.'),
  request_id: z.string().regex(/^req_[0-9A-Za-z]{24}$/),
});

/** The envelope of every answer that is not 2xx, and of the last event of a stream that failed. */
export const errorEnvelope = z.object({ error });

/** The envelope of a 402, which says in figures what is missing. */
export const balanceErrorEnvelope = z.object({
  error: error.extend({
    needed_usd: usd.describe('The most that the request can cost.'),
    available_usd: usd.describe('What the pools of this key can cover now.'),
    held_usd: usd.describe('Held by other requests in flight.'),
    resets_at: z
      .int()
      .nullable()
      .describe('Unix seconds at which the next pool is full again; null when none is.'),
    max_tokens: z.int().min(1).optional().describe('The largest that the balance covers, for a chat.'),
  }),
});
