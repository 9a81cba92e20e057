import { type ZodString, type ZodType, z } from 'zod';
import type { Stage } from './error-examples.ts';

/** Response headers. Each is one component of the document, or two: `always` sent, or `sometimes`. */

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
    description: 'Id of this request, the same as in the log and in `error.request_id`.',
    header: { id: 'x-request-id' },
  });
const clientRequestId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/)
  .optional()
  .meta({
    description: "The client's own `x-request-id`, when it sent one of at most 128 visible ASCII characters.",
    header: { id: 'x-client-request-id' },
  });
/** Fields that the translation of a chat to the provider's API drops. */
const ignored = z
  .string()
  .min(1)
  .optional()
  .meta({
    description:
      'Fields of the request that were left out, because the API of the provider lacks them and they only ' +
      'tune or tag. Absent if there are none.',
    header: { id: 'x-gateway-ignored' },
    example: 'metadata, service_tier',
  });
const requestIdOfMessages = {
  always: requestId.meta({
    description: 'The same as `x-request-id`, under the name that clients of Anthropic use.',
    header: { id: 'request-id' },
  }),
  sometimes: requestId.optional().meta({
    description:
      'As `x-request-id`, for clients of Anthropic. Absent if the request was refused before it was routed.',
    header: { id: 'request-id.optional' },
  }),
};
const retryAfter = wholeNumber.meta({
  description: 'Whole seconds, rounded up.',
  header: { id: 'retry-after' },
});
const retryAfterUnlessUnconfigured = wholeNumber.optional().meta({
  description:
    'Whole seconds, rounded up. Absent for a `model_unavailable` that does not end by waiting: the ' +
    'operator has to configure the model.',
  header: { id: 'retry-after.optional' },
});
const retryAfterOfProvider = wholeNumber.optional().meta({
  description: "The provider's value, if it sent one.",
  header: { id: 'retry-after-529' },
});
const wwwAuthenticate = z
  .literal('Bearer')
  .meta({ description: 'The required authentication scheme.', header: { id: 'www-authenticate' } });
const allow = z
  .string()
  .meta({ description: 'The methods that the path has.', header: { id: 'allow' }, example: 'GET, HEAD' });
const neverRetry = z.literal('false').meta({
  description: 'A retry with a refused key does not help.',
  header: { id: 'x-should-retry-401' },
});
const shouldRetry = z
  .literal('false')
  .optional()
  .meta({
    description: 'Sent unless other running requests have reserved the balance; then `retry-after` is sent.',
    header: { id: 'x-should-retry' },
  });
const credentialRefused = z
  .literal('false')
  .optional()
  .meta({
    description: 'Sent when a retry cannot help: the provider does not accept the credential of the gateway.',
    header: { id: 'x-should-retry-502' },
  });
const retryAfterHeld = wholeNumber.optional().meta({
  description: 'Whole seconds; sent when other running requests have reserved the balance.',
  header: { id: 'retry-after-402' },
});
const etag = z.string().meta({
  description: 'Identifies this content; send it back as `if-none-match`.',
  header: { id: 'etag' },
});
const cacheControl = z.string().meta({
  description: '`public` for an anonymous request, `private` for a request with a key.',
  header: { id: 'cache-control' },
  example: 'public, max-age=5',
});
/** For answers about the caller's own data, which changes all the time. */
export const noStore = z
  .literal('no-store')
  .meta({ description: 'Caches must not store it.', header: { id: 'cache-control-no-store' } });

/** On answers to requests that a limit has counted or refused. */
const RATE_LIMIT = {
  'x-ratelimit-limit-requests': header('x-ratelimit-limit-requests', wholeNumber, {
    description: 'Requests allowed per window by the limit with the least remaining.',
  }),
  'x-ratelimit-remaining-requests': header('x-ratelimit-remaining-requests', wholeNumber, {
    description: 'Requests left in that limit.',
  }),
  'x-ratelimit-reset-requests': header(
    'x-ratelimit-reset-requests',
    z.string().regex(/^(\d+ms|\d+s|\d+m\d+s)$/),
    { description: 'Time until its next place is free.', example: '1m0s' },
  ),
  'ratelimit-policy': header('ratelimit-policy', z.string().min(1), {
    description: 'Every policy that applied (IETF draft "RateLimit header fields for HTTP").',
    example: '"key";q=60;w=60, "team";q=600;w=60',
  }),
  ratelimit: header('ratelimit', z.string().min(1), {
    description: 'What is left of each policy.',
    example: '"key";r=59;t=1, "team";r=599;t=1',
  }),
};

/** On answers to requests that were sent to a provider. */
const PROXIED = {
  'x-gateway-model': header('x-gateway-model', z.string().min(1), {
    description: 'The model that answered, `<provider>/<model_name>`.',
  }),
  'x-gateway-overhead-ms': header('x-gateway-overhead-ms', z.string().regex(/^\d+(\.\d+)?$/), {
    description: 'Milliseconds spent in the gateway, the provider excluded.',
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

/** On every answer. */
export const commonHeaders = z.object({
  'x-request-id': requestId,
  'x-client-request-id': clientRequestId,
});
export const limitedHeaders = commonHeaders.extend(present(RATE_LIMIT, 'always'));
export const cachedHeaders = limitedHeaders.extend({ etag, 'cache-control': cacheControl });
export const proxiedHeaders = limitedHeaders.extend(present(PROXIED, 'always'));
export const chatHeaders = proxiedHeaders.extend({ 'x-gateway-ignored': ignored });

/** Adds the second header for the request id, which the routes of Messages have. */
export function messagesHeaders(headers: z.ZodObject, presence: 'always' | 'sometimes' = 'always') {
  return headers.extend({ 'request-id': requestIdOfMessages[presence] });
}

/** The headers of an overloaded provider's answer that is passed on. */
export const overloadedHeaders = messagesHeaders(proxiedHeaders).extend({
  'retry-after': retryAfterOfProvider,
});

interface Stages {
  ofStatus: readonly Stage[];
  /** The stages of all codes that the route may answer; no `anywhere` if it forwards nothing. */
  ofRoute: readonly Stage[];
}

export function errorHeaders(status: number, stages: Stages) {
  const headers = commonHeaders
    .extend(present(RATE_LIMIT, presenceIn(stages, ['limited', 'forwarded'])))
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
    case 429:
      return headers.extend({ 'retry-after': retryAfter });
    case 503:
      return headers.extend({
        'retry-after': stages.ofStatus.includes('forwarded') ? retryAfterUnlessUnconfigured : retryAfter,
      });
    default:
      return headers;
  }
}

/** Returns how often headers of certain stages are present. */
function presenceIn({ ofStatus, ofRoute }: Stages, having: readonly Stage[]): Presence {
  const isHaving = (stage: Stage) => having.includes(stage);
  if (!ofRoute.some(isHaving)) return 'never';
  if (ofStatus.every(isHaving)) return 'always';
  return ofStatus.some((stage) => isHaving(stage) || stage === 'anywhere') ? 'sometimes' : 'never';
}
