import { type Limiter, rateLimitHeaders } from '@model-gateway/limits';
import { addressGroup, requestIdOf } from '@model-gateway/service-kit';
import { GatewayError } from '@model-gateway/shared';
import type { Request, Response } from 'express';
import type { TrustedCaller } from './trusted-caller.ts';

export interface LimitByAddressContext {
  limiter: Limiter;
  trustedCaller: TrustedCaller;
  anonymousReadsPerMinute: number;
}

/**
 * Counts an anonymous request against its address. Who has a key was counted by the data plane already.
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
  for (const [name, value] of Object.entries(rateLimitHeaders(admission))) res.setHeader(name, value);
  if (admission.outcome === 'admitted') return;
  const limit = admission.policies[0]?.limit ?? anonymousReadsPerMinute;
  const retryAfterSeconds = Math.max(1, Math.ceil(admission.retryAfterMs / 1_000));
  const message = `The limit of your address is ${limit} requests without a key per minute, for the models and the status. Retry in ${retryAfterSeconds} s, or send a key.`;
  throw new GatewayError('rate_limit_exceeded', message, { retryAfterSeconds });
}
