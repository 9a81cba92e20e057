import { usageReceipt, usageSummary } from '@model-gateway/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { errorAnswers, READ_CODES } from '../error-answers.ts';
import { limitedHeaders } from '../headers.ts';
import { ownRequestId } from '../parameters.ts';
import { KEY_REQUIRED } from '../security.ts';
import { jsonContent } from '../success-answers.ts';

const usageQuery = z.object({
  start_time: z.int().min(0).optional().describe('Unix seconds; default: the start of this month, UTC.'),
  end_time: z.int().min(0).optional().describe('Unix seconds; default: now.'),
  bucket_width: z.enum(['1m', '1h', '1d']).optional(),
  group_by: z.array(z.enum(['model', 'key', 'capability'])).optional(),
  models: z.array(z.string()).optional().describe('Only these.'),
  limit: z.int().min(1).optional().describe('Buckets per page.'),
  page: z.string().optional().describe('`next_page` of the page before.'),
});

/** What was used and what it cost. */
export const usagePaths: ZodOpenApiPathsObject = {
  '/v1/usage': {
    get: {
      operationId: 'getUsage',
      tags: ['Usage'],
      summary: 'Usage, pools and limits of the account or team seat',
      security: KEY_REQUIRED,
      requestParams: { query: usageQuery },
      parameters: [ownRequestId],
      responses: {
        200: { description: 'The summary.', headers: limitedHeaders, content: jsonContent(usageSummary) },
        ...errorAnswers(...READ_CODES, 'invalid_api_key'),
      },
    },
  },
  '/v1/usage/requests/{request_id}': {
    get: {
      operationId: 'getReceipt',
      tags: ['Usage'],
      summary: 'What one request came to',
      security: KEY_REQUIRED,
      requestParams: {
        path: z.object({
          request_id: z.string().meta({
            description: 'The `x-request-id` of its answer.',
            example: 'req_0aB1cD2eF3gH4iJ5kL6mN7oP',
          }),
        }),
      },
      parameters: [ownRequestId],
      responses: {
        200: { description: 'The receipt.', headers: limitedHeaders, content: jsonContent(usageReceipt) },
        ...errorAnswers(...READ_CODES, 'invalid_api_key', 'not_found'),
      },
    },
  },
};
