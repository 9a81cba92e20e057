import { viewAccountRequest } from '../../wire/session.ts';
import type { DashboardContext } from '../context.ts';
import { requestOrigin } from '../http/observe-request.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';
import { sendManagementResponse } from './management-routes.ts';

/** Shows the pages of any account, as its owner sees them, to users with a role in the installation. */
export function viewRoutes(context: DashboardContext): ApiRoute[] {
  const { playgroundKeys, sessionStore } = context;
  return [
    holderRoute('auditor', 'POST', '/api/session/view', async ({ req, res, session, body, changes }) => {
      const { accountId } = parseRequest(viewAccountRequest, body);
      // The control plane checks the role, and records who looks at which account.
      const recorded = await changes.callManagementApi({
        operation: 'viewAccount',
        requestJson: JSON.stringify({ path: { id: accountId } }),
        mayChange: true,
      });
      if (recorded.status !== 200) {
        sendManagementResponse(res, recorded);
        return;
      }
      await sessionStore.setViewedAccount(session.id, accountId);
      playgroundKeys.revoke(session.id, requestOrigin(context, req, res));
      res.status(204).end();
    }),

    holderRoute(
      'sign-in',
      'POST',
      '/api/session/view/end',
      async ({ res, session }) => {
        await sessionStore.setViewedAccount(session.id, null);
        res.status(204).end();
      },
      { isChange: false },
    ),
  ];
}
