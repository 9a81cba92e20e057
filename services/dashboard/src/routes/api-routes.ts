import type { DashboardContext } from '../context.ts';
import { accountSettingsRoutes } from './account-settings-routes.ts';
import { adminKeyRoutes } from './admin-key-routes.ts';
import type { ApiRoute } from './api-route.ts';
import { auditRoutes } from './audit-routes.ts';
import { identityProviderRoutes } from './identity-provider-routes.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { managementRoutes } from './management-routes.ts';
import { memberRoutes } from './member-routes.ts';
import { playgroundRoutes } from './playground-routes.ts';
import { reauthenticationRoutes } from './re-authentication-routes.ts';
import { requestRoutes } from './request-routes.ts';
import { rulesRoutes } from './rules-routes.ts';
import { securityRoutes } from './security-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { statementRoutes } from './statement-routes.ts';
import { statusRoutes } from './status-routes.ts';
import { teamRoutes } from './team-routes.ts';
import { usageRoutes } from './usage-routes.ts';
import { viewRoutes } from './view-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

export function apiRoutes(context: DashboardContext): ApiRoute[] {
  return [
    ...signInRoutes(context),
    ...identityProviderRoutes(context),
    ...sessionRoutes(context),
    ...securityRoutes(context),
    ...reauthenticationRoutes(context),
    ...keyRoutes(),
    ...rulesRoutes(),
    ...accountSettingsRoutes(),
    ...usageRoutes(),
    ...requestRoutes(context),
    ...statementRoutes(context),
    ...teamRoutes(context),
    ...memberRoutes(context),
    ...auditRoutes(),
    ...adminKeyRoutes(),
    ...webhookRoutes(),
    ...managementRoutes(),
    ...viewRoutes(context),
    ...invitationRoutes(),
    ...statusRoutes(context),
    ...playgroundRoutes(context),
  ];
}
