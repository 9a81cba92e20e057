import { z } from 'zod';
import { ERROR_CODES } from '../../errors/error-codes.ts';

/** Decimal dollars: the gateway counts in billionths. */
const usd = z.string().regex(/^\d+(\.\d{1,9})?$/);

const types = [
  ...new Set([
    ...Object.values(ERROR_CODES).map(({ type }) => type),
    'insufficient_balance' as const,
    'rate_limit_exceeded' as const,
  ]),
];
const codes = [
  ...new Set([...Object.keys(ERROR_CODES), 'insufficient_balance', 'concurrent_streams_exceeded']),
];

const error = z.object({
  message: z.string().min(1).describe('One sentence that says what to do next.'),
  type: z.enum(types),
  code: z.enum(codes),
  param: z.string().nullable().describe('JSON path of the offending field.'),
  request_id: z.string().regex(/^req_[0-9A-Za-z]{24}$/),
});

/** The envelope of every answer that is not 2xx, and of the last event of a stream that failed. */
export const errorEnvelope = z.object({ error });
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;

/** 402 says in figures what is missing. */
export const balanceErrorEnvelope = z.object({
  error: error.extend({
    needed_usd: usd,
    available_usd: usd,
    held_usd: usd.describe('Held by other requests in flight.'),
    resets_at: z.int().nullable().describe('Unix seconds.'),
  }),
});
export type BalanceErrorEnvelope = z.infer<typeof balanceErrorEnvelope>;
