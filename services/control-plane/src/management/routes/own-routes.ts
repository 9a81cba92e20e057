import type { Route } from '../route.ts';
import { accountRoutes } from './accounts.ts';
import { adminKeyRoutes } from './admin-keys.ts';
import { auditEventRoutes } from './audit-events.ts';
import { catalogRoutes } from './catalog.ts';
import { catalogVersionRoutes } from './catalog-versions.ts';
import { contentsRoutes } from './contents.ts';
import { credentialRoutes } from './credentials.ts';
import { dataPlaneRoutes } from './data-planes.ts';
import { endUserRoutes } from './end-users.ts';
import { fleetRoutes } from './fleet.ts';
import { keyRoutes } from './keys.ts';
import { memberRoutes } from './members.ts';
import { overviewRoutes } from './overview.ts';
import { poolRoutes } from './pools.ts';
import { priceListRoutes } from './price-lists.ts';
import { providerRoutes } from './providers.ts';
import { receiptRoutes } from './receipts.ts';
import { refusedRequestRoutes } from './refused-requests.ts';
import { rulesRoutes } from './rules.ts';
import { searchRoutes } from './search.ts';
import { seatRoutes } from './seats.ts';
import { storageRoutes } from './storage.ts';
import { teamRoutes } from './teams.ts';
import { usageRoutes } from './usage.ts';
import { auditVerificationRoutes, ledgerVerificationRoutes } from './verifications.ts';
import { webhookRoutes } from './webhooks.ts';

/** Routes of /admin/v1. The console calls them as operations. */
export const OWN_ROUTES: readonly Route[] = [
  ...accountRoutes,
  ...searchRoutes,
  ...memberRoutes,
  ...keyRoutes,
  ...rulesRoutes,
  ...endUserRoutes,
  ...teamRoutes,
  ...seatRoutes,
  ...poolRoutes,
  ...catalogRoutes,
  ...catalogVersionRoutes,
  ...priceListRoutes,
  ...providerRoutes,
  ...credentialRoutes,
  ...usageRoutes,
  ...receiptRoutes,
  ...refusedRequestRoutes,
  ...contentsRoutes,
  ...auditEventRoutes,
  ...auditVerificationRoutes,
  ...overviewRoutes,
  ...fleetRoutes,
  ...storageRoutes,
  ...dataPlaneRoutes,
  ...ledgerVerificationRoutes,
  ...adminKeyRoutes,
  ...webhookRoutes,
];
