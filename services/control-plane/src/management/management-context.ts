import type { ControlPlaneContext } from '../context.ts';
import { AdminLimits } from './admin-limits.ts';

export type ManagementContext = ReturnType<typeof createManagementContext>;

/** Adds the rate limits of the management API to the context. */
export function createManagementContext(context: ControlPlaneContext) {
  const { adminRates, limiter } = context;
  return { ...context, adminLimits: new AdminLimits({ limiter, ...adminRates }) };
}
