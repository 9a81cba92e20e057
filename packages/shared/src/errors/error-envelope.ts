import { z } from 'zod';
import { BUDGET_WINDOWS, RULE_SCOPES } from '../rules/rules.ts';
import { ERROR_CODES } from './error-codes.ts';
import { messagesErrorType } from './messages-error-body.ts';

const usd = z.string().regex(/^\d+\.\d{9}$/, 'dollars with nine decimals');

const types = [...new Set(Object.values(ERROR_CODES).map(({ type }) => type))];
const codes = Object.keys(ERROR_CODES);

const error = z.object({
  message: z.string().min(1).describe('Says what is wrong and what to do next.'),
  type: z.enum(types),
  code: z.enum(codes),
  param: z.string().nullable().describe('JSON path of the invalid field.'),
  request_id: z.string().regex(/^req_[0-9A-Za-z]{24}$/),
});

/** The envelope of every error response, and of the last event of a stream that failed. */
export const errorEnvelope = z.object({ error });

const figures = {
  needed_usd: usd.describe('What the request may cost; at the end of a stream, what its next part may cost.'),
  available_usd: usd.describe('The amount that the pools of this key, or the budget, can cover now.'),
  held_usd: usd.describe('The amount that other running requests have reserved.'),
  resets_at: z
    .int()
    .nullable()
    .describe('Unix seconds at which the next pool is full again, or a new window begins. Null: never.'),
  max_tokens: z
    .int()
    .min(1)
    .optional()
    .describe('Only for a chat: the largest `max_tokens` that the balance covers.'),
  scope: z
    .enum(RULE_SCOPES)
    .optional()
    .describe('Level of the budget that is too small. Absent: the pools are.'),
  budget_id: z.string().optional(),
  limit_usd: usd.optional().describe('Limit of the budget in each window.'),
  remaining_usd: usd.optional().describe('What can still be reserved in this window.'),
  window: z.enum(BUDGET_WINDOWS).optional(),
};

/** The envelope of a 402, with the missing amount in figures. */
export const balanceErrorEnvelope = z.object({ error: error.extend(figures) });

const messagesTypes = [...new Set(Object.values(ERROR_CODES).map(({ status }) => messagesErrorType(status)))];

const messagesError = z.object({
  type: z.enum(messagesTypes).describe("Anthropic's error type for the status."),
  message: error.shape.message,
  code: error.shape.code.describe("The gateway's own error code, the same on every route."),
  param: z.string().optional().describe('JSON path of the invalid field.'),
  details: z.looseObject({}).optional().describe("Details that Anthropic's client libraries act on."),
});

/** The same in Anthropic's form: errors of the gateway itself on the routes of Messages. */
export const messagesErrorEnvelope = z.object({
  type: z.literal('error'),
  error: messagesError,
  request_id: error.shape.request_id,
});

export const messagesBalanceErrorEnvelope = messagesErrorEnvelope.extend({
  error: messagesError.extend(figures),
});

/** The error body of a provider with the Messages API, passed through unchanged. */
export const messagesProviderError = z.looseObject({
  type: z.literal('error'),
  error: z.looseObject({ type: z.string(), message: z.string() }),
  request_id: z.string().nullish().describe("The provider's own id of the request."),
});
