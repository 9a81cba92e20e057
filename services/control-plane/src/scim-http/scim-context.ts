import { SCIM_REQUESTS_PER_MINUTE } from '@model-gateway/shared';
import type { ControlPlaneContext } from '../context.ts';
import { AdminLimits } from '../management/admin-limits.ts';

export type ScimContext = ReturnType<typeof createScimContext>;

/** Adds the rate limits of SCIM to the context. */
export function createScimContext(context: ControlPlaneContext) {
  const { adminRates, limiter } = context;
  const { failuresPerMinute } = adminRates;
  const rates = { requestsPerMinute: SCIM_REQUESTS_PER_MINUTE, failuresPerMinute };
  return { ...context, scimLimits: new AdminLimits({ limiter, ...rates }) };
}
