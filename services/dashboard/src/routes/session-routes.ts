import { addressGroup, clientIp } from '@model-gateway/service-kit';
import { passwordResetRequest, type SessionAnswer } from '../../wire/session.ts';
import type { DashboardContext } from '../context.ts';
import { type ApiRoute, publicRoute } from '../http/api-route.ts';
import { noteAccount } from '../http/observe-request.ts';
import { parseRequest } from '../http/parse-request.ts';
import { resetPassword } from '../sign-in/reset-password.ts';

export function sessionRoutes(context: DashboardContext): ApiRoute[] {
  const { accounts, config, signIn } = context;
  return [
    publicRoute('GET', '/api/session', async ({ req, res }) => {
      const session = await signIn.session(req.headers);
      for (const cookie of session?.setCookies ?? []) res.appendHeader('set-cookie', cookie);
      const account = session && (await accounts.of(session.user));
      if (account !== undefined) noteAccount(res, account.id);
      const answer: SessionAnswer = {
        user:
          account === undefined ? null : { accountId: account.id, email: account.email, name: account.name },
        signUpOpen: config.signUpOpen,
        identityProvider:
          config.identityProvider === undefined ? null : { name: config.identityProvider.name },
        apiBaseUrl: `${config.apiBaseUrl}/v1`,
      };
      res.json(answer);
    }),

    publicRoute('POST', '/api/password-reset', async ({ req, res, body }) => {
      const reset = parseRequest(passwordResetRequest, body);
      await resetPassword(context, reset, addressGroup(clientIp(req, config.trustProxy)));
      res.status(204).end();
    }),
  ];
}
