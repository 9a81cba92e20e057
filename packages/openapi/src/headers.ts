import { type ZodString, type ZodType, z } from 'zod';
import type { Stage } from './error-examples.ts';

/** Response headers. A header is one component, or two: `always` sent (required), `sometimes` (optional). */

interface HeaderText {
  description: string;
  example?: string;
}

function header(name: string, schema: ZodString, text: HeaderText) {
  return {
    always: schema.meta({ ...text, header: { id: name } }),
    sometimes: schema.optional().meta({ ...text, header: { id: `${name}.optional` } }),
  };
}

const wholeNumber = z.string().regex(/^\d+$/);

const requestId = z
  .string()
  .regex(/^req_[0-9A-Za-z]{24}$/)
  .meta({
    description: 'Id of this request. The log and `error.request_id` contain the same id.',
    header: { id: 'x-request-id' },
  });
const clientRequestId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/)
  .optional()
  .meta({
    description: 'The `x-request-id` that you sent, if it has at most 128 visible ASCII characters.',
    header: { id: 'x-client-request-id' },
  });
/** Fields that the translation of a chat to the provider's API drops. */
const ignored = z
  .string()
  .min(1)
  .optional()
  .meta({
    description:
      "Fields that were left out because they only tune or tag the request, and the provider's API does not " +
      'have them. Absent: none was left out.',
    header: { id: 'x-gateway-ignored' },
    example: 'metadata, service_tier',
  });
const requestIdOfMessages = {
  always: requestId.meta({
    description: "The same as `x-request-id`, under the name that Anthropic's clients use.",
    header: { id: 'request-id' },
  }),
  sometimes: requestId.optional().meta({
    description:
      "The same as `x-request-id`, for Anthropic's clients. Absent if the request was refused before routing.",
    header: { id: 'request-id.optional' },
  }),
};
const retryAfter = wholeNumber.meta({
  description: 'Whole seconds, rounded up.',
  header: { id: 'retry-after' },
});
const retryAfterUnlessUnconfigured = wholeNumber.optional().meta({
  description:
    'Whole seconds, rounded up. Absent if waiting does not help, because the operator has to configure the ' +
    'model.',
  header: { id: 'retry-after.optional' },
});
const retryAfterUnlessHopeless = wholeNumber.optional().meta({
  description: 'Whole seconds, rounded up. Absent if waiting does not help.',
  header: { id: 'retry-after-429' },
});
const hopeless = z
  .literal('false')
  .optional()
  .meta({
    description: 'Sent if waiting does not help: the request may need more tokens than the limit.',
    header: { id: 'x-should-retry-429' },
  });
const retryAfterOfProvider = wholeNumber.optional().meta({
  description: "The provider's value, if it sent one.",
  header: { id: 'retry-after-529' },
});
const wwwAuthenticate = z
  .literal('Bearer')
  .meta({ description: 'The required authentication scheme.', header: { id: 'www-authenticate' } });
const allow = z.string().meta({
  description: 'The methods that the path supports.',
  header: { id: 'allow' },
  example: 'GET, HEAD',
});
const neverRetry = z.literal('false').meta({
  description: 'Do not retry: the key stays invalid.',
  header: { id: 'x-should-retry-401' },
});
const shouldRetry = z
  .literal('false')
  .optional()
  .meta({
    description:
      'Do not retry. Replaced by `retry-after` if other running requests have reserved the balance.',
    header: { id: 'x-should-retry' },
  });
const credentialRefused = z
  .literal('false')
  .optional()
  .meta({
    description: "Sent if a retry does not help: the provider rejects the gateway's credential.",
    header: { id: 'x-should-retry-502' },
  });
const retryAfterHeld = wholeNumber.optional().meta({
  description: 'Whole seconds. Sent if other running requests have reserved the balance.',
  header: { id: 'retry-after-402' },
});
const retryAfterIfRunning = wholeNumber.optional().meta({
  description: 'Whole seconds. Sent if the first request with the Idempotency-Key is still running.',
  header: { id: 'retry-after-409' },
});
const spent = z
  .literal('false')
  .optional()
  .meta({
    description: 'Sent if a retry does not help: the answer cannot be sent again.',
    header: { id: 'x-should-retry-409' },
  });
const etag = z.string().meta({
  description: 'Version of this content. Send it back as `if-none-match`.',
  header: { id: 'etag' },
});
const cacheControl = z.string().meta({
  description: '`public` without a key, `private` with one.',
  header: { id: 'cache-control' },
  example: 'public, max-age=5',
});
/** For responses about the caller's own data, which changes all the time. */
export const noStore = z
  .literal('no-store')
  .meta({ description: 'Caches must not store the response.', header: { id: 'cache-control-no-store' } });

/** On responses to requests that a limit has counted or refused. */
const RATE_LIMIT = {
  'x-ratelimit-limit-requests': header('x-ratelimit-limit-requests', wholeNumber, {
    description: 'Requests per window that the tightest limit allows.',
  }),
  'x-ratelimit-remaining-requests': header('x-ratelimit-remaining-requests', wholeNumber, {
    description: 'Requests left within the tightest limit.',
  }),
  'x-ratelimit-reset-requests': header(
    'x-ratelimit-reset-requests',
    z.string().regex(/^(\d+ms|\d+s|\d+m\d+s)$/),
    { description: 'Time until the tightest limit allows one more request.', example: '1m0s' },
  ),
  'ratelimit-policy': header('ratelimit-policy', z.string().min(1), {
    description: 'Every limit that applied (IETF draft "RateLimit header fields for HTTP").',
    example: '"key";q=60;w=60, "team";q=600;w=60',
  }),
  ratelimit: header('ratelimit', z.string().min(1), {
    description: 'Requests, tokens or streams left within each limit.',
    example: '"key";r=59;t=1, "team";r=599;t=1',
  }),
};

/** On responses to requests that a limit of tokens has counted or refused. */
const TOKEN_LIMIT = {
  'x-ratelimit-limit-tokens': header('x-ratelimit-limit-tokens', wholeNumber, {
    description: 'Tokens per window, input and output together, that the tightest limit of tokens allows.',
  }),
  'x-ratelimit-remaining-tokens': header('x-ratelimit-remaining-tokens', wholeNumber, {
    description: 'Tokens left within it. Running requests count with an estimate.',
  }),
  'x-ratelimit-reset-tokens': header(
    'x-ratelimit-reset-tokens',
    z.string().regex(/^(\d+ms|\d+s|\d+m\d+s)$/),
    { description: 'Time until more tokens are free; in a 429, until the request fits.', example: '12s' },
  ),
};

/** On responses to requests that were sent to a provider. */
const PROXIED = {
  'x-gateway-model': header('x-gateway-model', z.string().min(1), {
    description: 'The model that responded, as `<provider>/<model_name>`.',
  }),
  'x-gateway-overhead-ms': header('x-gateway-overhead-ms', z.string().regex(/^\d+(\.\d+)?$/), {
    description: "Milliseconds that the request spent in the gateway, without the provider's time.",
  }),
};

/** On responses to requests that may be answered with an earlier answer. */
const REPEATED = {
  'idempotency-replayed': z
    .literal('true')
    .optional()
    .meta({
      description: 'Sent if this is the answer to the first request with the Idempotency-Key.',
      header: { id: 'idempotency-replayed' },
    }),
  'x-gateway-first-request-id': requestId.optional().meta({
    description: 'Id of that request, which has the receipt.',
    header: { id: 'x-gateway-first-request-id' },
  }),
  'x-gateway-cache': z
    .enum(['hit', 'miss', 'bypass'])
    .optional()
    .meta({
      description:
        '`hit`: an earlier answer; `miss`: a provider was asked; `bypass`: the cache was not used. Absent: the ' +
        'neither the request nor its key asks for the cache.',
      header: { id: 'x-gateway-cache' },
    }),
  'x-gateway-cache-key': z
    .string()
    .regex(/^[\w-]{43}$/)
    .optional()
    .meta({
      description: 'Key of the request in the cache, for `DELETE /v1/cache`.',
      header: { id: 'x-gateway-cache-key' },
    }),
  age: wholeNumber.optional().meta({
    description: 'Seconds since the request of a cached answer.',
    header: { id: 'age' },
  }),
};

type Presence = 'always' | 'sometimes' | 'never';

function present(
  headers: Record<string, ReturnType<typeof header>>,
  presence: Presence,
): Record<string, ZodType> {
  if (presence === 'never') return {};
  return Object.fromEntries(Object.entries(headers).map(([name, variants]) => [name, variants[presence]]));
}

/** On every response. */
export const commonHeaders = z.object({
  'x-request-id': requestId,
  'x-client-request-id': clientRequestId,
});
export const limitedHeaders = commonHeaders
  .extend(present(RATE_LIMIT, 'always'))
  .extend(present(TOKEN_LIMIT, 'sometimes'));
export const cachedHeaders = limitedHeaders.extend({ etag, 'cache-control': cacheControl });
export const proxiedHeaders = limitedHeaders.extend(present(PROXIED, 'always')).extend(REPEATED);
export const chatHeaders = proxiedHeaders.extend({ 'x-gateway-ignored': ignored });

/** Adds `request-id`, which the Messages routes send beside `x-request-id`. */
export function messagesHeaders(headers: z.ZodObject, presence: 'always' | 'sometimes' = 'always') {
  return headers.extend({ 'request-id': requestIdOfMessages[presence] });
}

/** The headers of a provider's 529 response, which is passed through. */
export const overloadedHeaders = messagesHeaders(proxiedHeaders).extend({
  'retry-after': retryAfterOfProvider,
});

interface Stages {
  ofStatus: readonly Stage[];
  /** The stages of all error codes of the route. */
  ofRoute: readonly Stage[];
}

export function errorHeaders(status: number, stages: Stages) {
  const limited = presenceIn(stages, ['limited', 'forwarded']);
  const headers = commonHeaders
    .extend(present(RATE_LIMIT, limited))
    .extend(present(TOKEN_LIMIT, limited === 'never' ? 'never' : 'sometimes'))
    .extend(present(PROXIED, presenceIn(stages, ['forwarded'])));
  switch (status) {
    case 401:
      return headers.extend({ 'www-authenticate': wwwAuthenticate, 'x-should-retry': neverRetry });
    case 402:
      return headers.extend({ 'x-should-retry': shouldRetry, 'retry-after': retryAfterHeld });
    case 502:
      return headers.extend({ 'x-should-retry': credentialRefused });
    case 405:
      return headers.extend({ allow });
    case 409:
      return headers.extend({ 'retry-after': retryAfterIfRunning, 'x-should-retry': spent });
    case 429:
      return headers.extend({ 'retry-after': retryAfterUnlessHopeless, 'x-should-retry': hopeless });
    case 503:
      return headers.extend({
        'retry-after': stages.ofStatus.includes('forwarded') ? retryAfterUnlessUnconfigured : retryAfter,
      });
    default:
      return headers;
  }
}

/** Returns how often headers are present that only errors of these stages have. */
function presenceIn({ ofStatus, ofRoute }: Stages, withHeaders: readonly Stage[]): Presence {
  const hasHeaders = (stage: Stage) => withHeaders.includes(stage);
  if (!ofRoute.some(hasHeaders)) return 'never';
  if (ofStatus.every(hasHeaders)) return 'always';
  return ofStatus.some((stage) => hasHeaders(stage) || stage === 'anywhere') ? 'sometimes' : 'never';
}
