import type { Tier } from '../catalog/catalog-names.ts';
import { GatewayError } from './gateway-error.ts';

/** The request limits of a key and of its end users: the owner of each limit, and what it counts. */
const REQUEST_LIMITS: Record<
  Tier | 'reads' | 'team' | 'key-requests' | 'end-user-requests',
  { whose: string; what: string }
> = {
  free: { whose: 'this API key', what: 'to free models' },
  paid: { whose: 'this API key', what: 'to paid models' },
  reads: {
    whose: 'this API key',
    what: 'for reads (models, usage, and requests that are refused as invalid)',
  },
  team: { whose: 'the team of this API key', what: 'to models, free and paid together' },
  'key-requests': { whose: 'this API key', what: 'to models, free and paid together' },
  'end-user-requests': { whose: 'this end user', what: 'to models, free and paid together' },
};

export function requestLimitReached(
  limit: keyof typeof REQUEST_LIMITS,
  perMinute: number,
  retryAfterMs: number,
): GatewayError {
  const retryAfterSeconds = wholeSeconds(retryAfterMs);
  const { whose, what } = REQUEST_LIMITS[limit];
  const message =
    `The limit of ${whose} is ${perMinute} requests per minute ${what}. ` +
    `Retry in ${retryAfterSeconds} s.`;
  return new GatewayError('rate_limit_exceeded', message, { retryAfterSeconds });
}

export interface TokenShortage {
  whose: 'this API key' | 'this end user';
  perMinute: number;
  leftTokens: number;
  /** Lower bound of the tokens that the request may use. */
  neededTokens: number;
  retryAfterMs: number;
}

/** Tells a request that may need more tokens than the limit not to retry: waiting would not help. */
export function tokenLimitReached({
  leftTokens,
  neededTokens,
  perMinute,
  retryAfterMs,
  whose,
}: TokenShortage): GatewayError {
  const limit = `The limit of ${whose} is ${perMinute} tokens per minute, input and output together`;
  if (neededTokens > perMinute) {
    const message =
      `${limit}, and this request may need ${neededTokens}. ` +
      'Send a shorter input, or a lower limit of the output.';
    const headers = { 'x-should-retry': 'false' };
    return new GatewayError('rate_limit_exceeded', message, { headers, retryAfterSeconds: null });
  }
  const retryAfterSeconds = wholeSeconds(retryAfterMs);
  const message =
    `${limit}: ${leftTokens} are left, and this request may need ${neededTokens}. ` +
    `Retry in ${retryAfterSeconds} s.`;
  return new GatewayError('rate_limit_exceeded', message, { retryAfterSeconds });
}

export function streamLimitReached(streams: number, retryAfterMs: number): GatewayError {
  const message =
    `This API key may have at most ${streams} concurrent streams, for all chat models together. ` +
    'Wait until one has ended.';
  const retryAfterSeconds = wholeSeconds(retryAfterMs);
  return new GatewayError('concurrent_streams_exceeded', message, { retryAfterSeconds });
}

/** The error for the limit of responses that are followed until their provider has counted them. */
export function tooManyUnfinishedResponses(responses: number): GatewayError {
  const message =
    `This API key has ${responses} responses that run in the background, or that it left before their end: ` +
    'the gateway follows no more of them. Wait until one has ended, or send `store: false` without `background`.';
  return new GatewayError('rate_limit_exceeded', message, { retryAfterSeconds: 1 });
}

/** The error for the limit of public reads without a key. */
export function addressLimitReached(perMinute: number, retryAfterMs: number): GatewayError {
  const retryAfterSeconds = wholeSeconds(retryAfterMs);
  const message =
    `The limit of your address is ${perMinute} requests without a key per minute, ` +
    `for the models and the status. Retry in ${retryAfterSeconds} s, or send a key.`;
  return new GatewayError('rate_limit_exceeded', message, { retryAfterSeconds });
}

/** Returns the value of `Retry-After`: rounded up, and at least 1. */
function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}
