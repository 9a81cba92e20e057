import type { Route } from '../route.ts';
import { accountRoutes } from './accounts.ts';
import { adminKeyRoutes } from './admin-keys.ts';

/** Every route of the management port that the registry serves and documents. */
export const ROUTES: readonly Route[] = [...accountRoutes, ...adminKeyRoutes];
