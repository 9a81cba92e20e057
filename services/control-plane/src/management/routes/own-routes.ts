import type { Route } from '../route.ts';
import { accountRoutes } from './accounts.ts';
import { adminKeyRoutes } from './admin-keys.ts';
import { auditEventRoutes } from './audit-events.ts';
import { catalogRoutes } from './catalog.ts';
import { endUserRoutes } from './end-users.ts';
import { fleetRoutes } from './fleet.ts';
import { keyRoutes } from './keys.ts';
import { memberRoutes } from './members.ts';
import { poolRoutes } from './pools.ts';
import { receiptRoutes } from './receipts.ts';
import { rulesRoutes } from './rules.ts';
import { seatRoutes } from './seats.ts';
import { teamRoutes } from './teams.ts';
import { usageRoutes } from './usage.ts';

/** Routes of /admin/v1. The console calls them as operations. */
export const OWN_ROUTES: readonly Route[] = [
  ...accountRoutes,
  ...memberRoutes,
  ...keyRoutes,
  ...rulesRoutes,
  ...endUserRoutes,
  ...teamRoutes,
  ...seatRoutes,
  ...poolRoutes,
  ...catalogRoutes,
  ...usageRoutes,
  ...receiptRoutes,
  ...auditEventRoutes,
  ...fleetRoutes,
  ...adminKeyRoutes,
];
