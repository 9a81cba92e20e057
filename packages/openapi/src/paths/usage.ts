import { READ_REQUESTS_PER_MINUTE, usageQuery, usageReceipt, usageSummary } from '@model-gateway/shared';
import { invalidQuery, requestLimitReached, usageUnreadable } from '@model-gateway/shared/errors';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { errorAnswers } from '../error-answers.ts';
import { limitedHeaders, noStore } from '../headers.ts';
import { ownRequestId } from '../parameters.ts';
import { KEY_REQUIRED } from '../security.ts';
import { jsonContent } from '../success-answers.ts';

const answerHeaders = limitedHeaders.extend({ 'cache-control': noStore });

const USAGE_ERRORS = [
  requestLimitReached('reads', READ_REQUESTS_PER_MINUTE, 3_000),
  usageUnreadable(),
  'invalid_api_key',
] as const;

/** The routes for usage and receipts. */
export const usagePaths: ZodOpenApiPathsObject = {
  '/v1/usage': {
    get: {
      operationId: 'getUsage',
      tags: ['Usage'],
      summary: 'Usage, pools and limits of the account or team seat',
      description: `Sums over finished requests, for the period and for each of its buckets. Buckets without requests have
no results. The period cuts the first and the last bucket. Usage per minute is stored for 400 days by default; older
periods are widened to whole hours.`,
      security: KEY_REQUIRED,
      requestParams: { query: usageQuery },
      parameters: [ownRequestId],
      responses: {
        200: { description: 'The summary.', headers: answerHeaders, content: jsonContent(usageSummary) },
        ...errorAnswers(
          ...USAGE_ERRORS,
          invalidQuery('start_time', 'must be before end_time (default: now)'),
        ),
      },
    },
  },
  '/v1/usage/requests/{request_id}': {
    get: {
      operationId: 'getReceipt',
      tags: ['Usage'],
      summary: 'Receipt of one request',
      description: `For requests that were sent to a provider. It appears a few moments after the response has ended, and
is stored for 400 days by default.`,
      security: KEY_REQUIRED,
      requestParams: {
        path: z.object({
          request_id: z.string().meta({
            description: 'The `x-request-id` header of its response.',
            example: 'req_0aB1cD2eF3gH4iJ5kL6mN7oP',
          }),
        }),
      },
      parameters: [ownRequestId],
      responses: {
        200: { description: 'The receipt.', headers: answerHeaders, content: jsonContent(usageReceipt) },
        ...errorAnswers(...USAGE_ERRORS, 'not_found'),
      },
    },
  },
};
