import type { ControlPlaneContext } from '../context.ts';
import { AdminLimits } from './admin-limits.ts';

export type ManagementContext = ReturnType<typeof createManagementContext>;

/** Adds the parts that only the management API has. */
export function createManagementContext(context: ControlPlaneContext) {
  const { adminRates, limiter } = context;
  return { ...context, adminLimits: new AdminLimits({ limiter, ...adminRates }) };
}
