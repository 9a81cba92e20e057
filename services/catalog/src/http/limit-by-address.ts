import { type Limiter, setRateLimitHeaders } from '@model-gateway/limits';
import { addressGroup, requestIdOf } from '@model-gateway/service-kit';
import { addressLimitReached } from '@model-gateway/shared/errors';
import type { Request, Response } from 'express';
import type { TrustedCaller } from './trusted-caller.ts';

export interface LimitByAddressContext {
  limiter: Limiter;
  trustedCaller: TrustedCaller;
  anonymousReadsPerMinute: number;
}

/**
 * Counts an anonymous request against the limit of its address. A request with a key was already counted by
 * the data plane.
 * @throws GatewayError 429
 */
export async function limitByAddress(
  { limiter, trustedCaller, anonymousReadsPerMinute }: LimitByAddressContext,
  req: Request,
  res: Response,
): Promise<void> {
  if (trustedCaller.isAuthenticated(req)) return;
  const client = addressGroup(trustedCaller.clientIp(req));
  const admission = await limiter.admit({
    requestId: requestIdOf(res),
    hashTag: `ip:${client}`,
    policies: [{ name: 'ip', bucket: 'reads', limit: anonymousReadsPerMinute }],
  });
  if (admission.outcome === 'revoked') return;
  setRateLimitHeaders(res, admission);
  if (admission.outcome === 'admitted') return;
  const perMinute = admission.policies[0]?.limit ?? anonymousReadsPerMinute;
  throw addressLimitReached(perMinute, admission.retryAfterMs);
}
