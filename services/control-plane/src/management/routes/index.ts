import type { Route } from '../route.ts';
import { accountRoutes } from './accounts.ts';
import { adminKeyRoutes } from './admin-keys.ts';
import { keyRoutes } from './keys.ts';
import { rulesRoutes } from './rules.ts';

/** Every route of the management port that the registry serves and documents. */
export const ROUTES: readonly Route[] = [...accountRoutes, ...keyRoutes, ...rulesRoutes, ...adminKeyRoutes];
