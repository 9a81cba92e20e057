import type { DashboardServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { keyHandlers } from './dashboard/key-handlers.ts';
import { signInHandlers } from './dashboard/sign-in-handlers.ts';
import { teamHandlers } from './dashboard/team-handlers.ts';
import { usageHandlers } from './dashboard/usage-handlers.ts';

export function dashboardService(context: ControlPlaneContext): DashboardServiceHandlers {
  return {
    ...signInHandlers(context),
    ...keyHandlers(context),
    ...usageHandlers(context),
    ...teamHandlers(context),
  };
}
