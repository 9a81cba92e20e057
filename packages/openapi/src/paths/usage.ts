import {
  cachePurged,
  keyResponse,
  purgeQuery,
  READ_REQUESTS_PER_MINUTE,
  usageQuery,
  usageReceipt,
  usageSummary,
} from '@model-gateway/shared';
import {
  invalidQuery,
  keyUnreadable,
  requestLimitReached,
  usageUnreadable,
} from '@model-gateway/shared/errors';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { errorResponses } from '../error-responses.ts';
import { limitedHeaders, noStore } from '../headers.ts';
import { ownRequestId } from '../parameters.ts';
import { KEY_REQUIRED } from '../security.ts';
import { jsonContent } from '../success-responses.ts';

const responseHeaders = limitedHeaders.extend({ 'cache-control': noStore });

const READ_ERRORS = [
  requestLimitReached('reads', READ_REQUESTS_PER_MINUTE, 3_000),
  'invalid_api_key',
  'network_not_allowed',
] as const;
const USAGE_ERRORS = [...READ_ERRORS, usageUnreadable()] as const;

/** The routes for usage, receipts and the key itself. */
export const usagePaths: ZodOpenApiPathsObject = {
  '/v1/key': {
    get: {
      operationId: 'getKey',
      tags: ['Usage'],
      summary: 'Key: its rules, budgets and limits',
      description: `What the key may do, what is left of each budget and limit, and when it expires. Shows no other
key.`,
      security: KEY_REQUIRED,
      parameters: [ownRequestId],
      responses: {
        200: { description: 'The key.', headers: responseHeaders, content: jsonContent(keyResponse) },
        ...errorResponses(...READ_ERRORS, keyUnreadable()),
      },
    },
  },
  '/v1/cache': {
    delete: {
      operationId: 'purgeCache',
      tags: ['Usage'],
      summary: 'Cache: purge cached answers of your account',
      description: `Purges all cached answers of your account, or those that one parameter selects. Also covers answers that are
being written. Counts as a read.`,
      security: KEY_REQUIRED,
      requestParams: { query: purgeQuery },
      parameters: [ownRequestId],
      responses: {
        200: { description: 'They are purged.', headers: responseHeaders, content: jsonContent(cachePurged) },
        ...errorResponses(...READ_ERRORS),
      },
    },
  },
  '/v1/usage': {
    get: {
      operationId: 'getUsage',
      tags: ['Usage'],
      summary: 'Usage, pools and limits of the account or team seat',
      description: `Sums of finished requests, for the whole period and for each of its buckets. A bucket without requests
has no results. The first and the last bucket only count requests within the period. Usage per minute is stored for 400
days by default; older periods are widened to whole hours. A key that a developer made counts only requests with keys of
that member.`,
      security: KEY_REQUIRED,
      requestParams: { query: usageQuery },
      parameters: [ownRequestId],
      responses: {
        200: { description: 'The summary.', headers: responseHeaders, content: jsonContent(usageSummary) },
        ...errorResponses(
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
      description: `Only requests that were sent to a provider have a receipt. It appears a few moments after the end of
the response, and is stored for 400 days by default. A key that a developer made gets only receipts of requests with
keys of that member.`,
      security: KEY_REQUIRED,
      requestParams: {
        path: z.object({
          request_id: z.string().meta({
            description: 'The `x-request-id` header of the response.',
            example: 'req_0aB1cD2eF3gH4iJ5kL6mN7oP',
          }),
        }),
      },
      parameters: [ownRequestId],
      responses: {
        200: { description: 'The receipt.', headers: responseHeaders, content: jsonContent(usageReceipt) },
        ...errorResponses(...USAGE_ERRORS, 'not_found'),
      },
    },
  },
};
