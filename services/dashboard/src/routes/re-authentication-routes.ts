import type { ProofWaysResponse } from '../../wire/security.ts';
import type { DashboardContext } from '../context.ts';
import { passwordIsNotEnough, passwordsOff, signInHasNoApp } from '../errors/sign-in-errors.ts';
import { parseRequest } from '../http/parse-request.ts';
import { verifyCode } from '../security/authenticator-app.ts';
import { passkeyProofBody } from '../security/passkey-bodies.ts';
import { codeBody, passwordBody } from '../sign-in/auth-bodies.ts';
import { passwordLimit } from '../sign-in/sign-in-limits.ts';
import { type ApiRoute, type HolderExchange, holderRoute } from './api-route.ts';

/**
 * Routes with which a signed-in user proves who they are. Users of an authenticator app need its code instead
 * of the password. An identity provider proves it by another sign-in (identity-provider-routes.ts).
 */
export function reauthenticationRoutes(context: DashboardContext): ApiRoute[] {
  const { attemptStore, config, passkeys, passkeyStore, sessionStore, signIn, userStore } = context;
  const options = { isChange: false, worksUnverified: true };

  const proveBy = async ({ res, session }: HolderExchange, proof: () => Promise<unknown>): Promise<void> => {
    if (config.ssoOnly) throw passwordsOff();
    const limit = passwordLimit(session.user.id);
    await attemptStore.count(limit);
    await proof();
    await attemptStore.forget(limit);
    await sessionStore.prove(session.id);
    res.status(204).end();
  };

  return [
    holderRoute(
      'sign-in',
      'GET',
      '/api/re-authentication',
      async ({ res, session: { user } }) => {
        const [{ hasPassword, providerIds }, stored] = await Promise.all([
          userStore.credentialsOf(user.id),
          passkeyStore.listOf(user.id),
        ]);
        const ways: ProofWaysResponse['ways'] = [];
        if (!config.ssoOnly) {
          if (stored.length > 0) ways.push('passkey');
          if (user.hasApp) ways.push('code');
          else if (hasPassword) ways.push('password');
        }
        const response: ProofWaysResponse = {
          ways,
          identityProviders: config.identityProviders
            .filter(({ id }) => providerIds.includes(id))
            .map(({ id, name }) => ({ id, name })),
        };
        res.json(response);
      },
      { worksUnverified: true },
    ),

    holderRoute(
      'sign-in',
      'POST',
      '/api/re-authentication/password',
      async (exchange) => {
        const { password } = parseRequest(passwordBody, exchange.body);
        if (exchange.session.user.hasApp) throw passwordIsNotEnough();
        await proveBy(exchange, () => signIn.checkPassword(exchange.req.headers, password));
      },
      options,
    ),

    holderRoute(
      'sign-in',
      'POST',
      '/api/re-authentication/code',
      async (exchange) => {
        const { req, session, body } = exchange;
        const { code } = parseRequest(codeBody, body);
        if (!session.user.hasApp) throw signInHasNoApp();
        await proveBy(exchange, () => verifyCode(context, req, session.user.id, code));
      },
      options,
    ),

    holderRoute(
      'sign-in',
      'POST',
      '/api/re-authentication/passkey/options',
      async ({ res, session }) => {
        res.json(await passkeys.proofOptions(session.user.id));
      },
      options,
    ),

    holderRoute(
      'sign-in',
      'POST',
      '/api/re-authentication/passkey',
      async (exchange) => {
        const { response } = parseRequest(passkeyProofBody, exchange.body);
        await proveBy(exchange, () => passkeys.verify(response, exchange.session.user.id));
      },
      options,
    ),
  ];
}
