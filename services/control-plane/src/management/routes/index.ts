import { openaiRoutes } from '../compatible/openai-routes.ts';
import { openRouterRoutes } from '../compatible/openrouter-routes.ts';
import type { Route } from '../route.ts';
import { OWN_ROUTES } from './own-routes.ts';
import { rpcRoutes } from './rpc.ts';

/** All routes, in the order of the OpenAPI document. */
export const ROUTES: readonly Route[] = [...OWN_ROUTES, ...openRouterRoutes, ...openaiRoutes, ...rpcRoutes];
