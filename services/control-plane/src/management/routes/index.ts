import type { Route } from '../route.ts';
import { accountRoutes } from './accounts.ts';

/** Every route of the management port that the registry serves and documents. */
export const ROUTES: readonly Route[] = [...accountRoutes];
