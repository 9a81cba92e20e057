import { z } from 'zod';

/** Response headers, each one component of the document. */

const requestId = z
  .string()
  .regex(/^req_[0-9A-Za-z]{24}$/)
  .meta({
    description: 'Id of this request, the same as in the log and in `error.request_id`.',
    header: { id: 'x-request-id' },
  });
const clientRequestId = z
  .string()
  .optional()
  .meta({
    description: "The client's own `x-request-id`, when it sent one of at most 128 visible ASCII characters.",
    header: { id: 'x-client-request-id' },
  });
const retryAfter = z
  .string()
  .regex(/^\d+$/)
  .meta({ description: 'Whole seconds, rounded up.', header: { id: 'retry-after' } });
const wwwAuthenticate = z
  .literal('Bearer')
  .meta({ description: 'The scheme that is asked for.', header: { id: 'www-authenticate' } });
const allow = z
  .string()
  .meta({ description: 'The methods that the path knows.', header: { id: 'allow' }, example: 'GET, HEAD' });
const shouldRetry = z
  .literal('false')
  .optional()
  .meta({
    description: 'Sent unless other requests in flight hold the balance; then `retry-after` is sent instead.',
    header: { id: 'x-should-retry' },
  });
const retryAfterHeld = z
  .string()
  .regex(/^\d+$/)
  .optional()
  .meta({
    description: 'Whole seconds; sent when other requests in flight hold the balance.',
    header: { id: 'retry-after-402' },
  });
const etag = z.string().meta({
  description: 'Of the content; send it back as `if-none-match`.',
  header: { id: 'etag' },
});
const cacheControl = z.string().meta({
  description: '`public` for an anonymous reader, `private` for a key.',
  header: { id: 'cache-control' },
  example: 'public, max-age=5',
});
const gatewayModel = z
  .string()
  .optional()
  .meta({
    description: 'The model that answered, `<provider>/<model_name>`.',
    header: { id: 'x-gateway-model' },
  });
const overhead = z
  .string()
  .optional()
  .meta({
    description: 'Milliseconds spent in the gateway, the provider excluded.',
    header: { id: 'x-gateway-overhead-ms' },
  });

/** On every answer. */
export const commonHeaders = z.object({
  'x-request-id': requestId,
  'x-client-request-id': clientRequestId,
});

/** On answers to requests that count in a limit. */
const rateLimitHeaders = {
  'x-ratelimit-limit-requests': z
    .string()
    .optional()
    .meta({
      description: 'Requests allowed per window by the limit with the least remaining.',
      header: { id: 'x-ratelimit-limit-requests' },
    }),
  'x-ratelimit-remaining-requests': z
    .string()
    .optional()
    .meta({
      description: 'Requests left in that limit.',
      header: { id: 'x-ratelimit-remaining-requests' },
    }),
  'x-ratelimit-reset-requests': z
    .string()
    .optional()
    .meta({
      description: 'Time until its next place is free.',
      header: { id: 'x-ratelimit-reset-requests' },
      example: '1m0s',
    }),
  'ratelimit-policy': z
    .string()
    .optional()
    .meta({
      description: 'Every policy that applied (IETF draft "RateLimit header fields for HTTP").',
      header: { id: 'ratelimit-policy' },
      example: '"key";q=60;w=60, "team";q=600;w=60',
    }),
  ratelimit: z
    .string()
    .optional()
    .meta({
      description: 'What is left of each policy.',
      header: { id: 'ratelimit' },
      example: '"key";r=59;t=1, "team";r=599;t=1',
    }),
};

export const limitedHeaders = commonHeaders.extend(rateLimitHeaders);
export const cachedHeaders = limitedHeaders.extend({ etag, 'cache-control': cacheControl });
export const proxiedHeaders = limitedHeaders.extend({
  'x-gateway-model': gatewayModel,
  'x-gateway-overhead-ms': overhead,
});

/** What an error of each status carries besides the common ones. */
export function errorHeaders(status: number) {
  switch (status) {
    case 401:
      return commonHeaders.extend({ 'www-authenticate': wwwAuthenticate });
    case 402:
      return limitedHeaders.extend({ 'x-should-retry': shouldRetry, 'retry-after': retryAfterHeld });
    case 405:
      return commonHeaders.extend({ allow });
    case 429:
      return limitedHeaders.extend({ 'retry-after': retryAfter });
    case 503:
      return commonHeaders.extend({ 'retry-after': retryAfter });
    default:
      return commonHeaders;
  }
}
