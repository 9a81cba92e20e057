import { addressGroup, clientIp } from '@model-gateway/service-kit';
import { z } from 'zod';
import type { DashboardContext } from '../context.ts';
import { DashboardError } from '../errors/dashboard-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import { mapSignInError } from '../errors/map-sign-in-error.ts';
import { noSingleSignOn, passwordsOff, signedOut } from '../errors/sign-in-errors.ts';
import { requestOrigin } from '../http/observe-request.ts';
import { parseRequest } from '../http/parse-request.ts';
import { admitSignIn } from '../sign-in/admit-sign-in.ts';
import { changePasswordBody, identityProviderBody, signInBody } from '../sign-in/auth-bodies.ts';
import { type AuthRequest, authRequest } from '../sign-in/auth-request.ts';
import { knownBrowserId, markKnownBrowser } from '../sign-in/known-browser.ts';
import { type AuthResponse, sendAuthResponse } from '../sign-in/send-auth-response.ts';
import { withGroups } from '../sign-in/sign-in-groups.ts';
import { clientAndUserLimit, clientLimit, knownBrowserLimit, userLimit } from '../sign-in/sign-in-limits.ts';
import { signUp } from '../sign-in/sign-up.ts';
import { type ApiExchange, type ApiRoute, pathParameter, publicRoute } from './api-route.ts';

/** Wrong current passwords per user in 15 minutes. */
const MAX_WRONG_PASSWORDS = 10;

/** The reasons of checkProfile and UserStore.admitVerified; the sign-in page explains them. */
const PROFILE_REFUSALS = new Set<ErrorCode>([
  'address_missing',
  'address_not_allowed',
  'address_not_verified',
  'sign_in_elsewhere',
]);

/** The page of the identity provider. */
const redirectTarget = z.object({ url: z.url() });

/** Exposes these routes of the sign-in library; all others answer 404. */
export function signInRoutes(context: DashboardContext): ApiRoute[] {
  const { attemptStore, config, playgroundKeys, signIn } = context;
  const callLibrary = async ({ req }: ApiExchange, request: AuthRequest): Promise<Response> => {
    const response = await signIn.call(authRequest(config, req, request));
    if (response.status >= 400) throw await mapSignInError(response);
    return response;
  };

  const originOf = ({ req, res }: ApiExchange) => requestOrigin(context, req, res);

  return [
    publicRoute('POST', '/api/auth/sign-up/email', async (exchange) => {
      sendAuthResponse(exchange.res, await signUp(context, exchange.req, exchange.body));
    }),

    publicRoute('POST', '/api/auth/sign-in/email', async (exchange) => {
      if (config.ssoOnly) throw passwordsOff();
      const body = parseRequest(signInBody, exchange.body);
      const client = addressGroup(clientIp(exchange.req, config.trustProxy));
      const browserId = knownBrowserId(config, exchange.req.headers, body.email);
      const isKnown = browserId !== undefined;
      const ownLimit = isKnown ? knownBrowserLimit(browserId) : clientAndUserLimit(body.email, client);
      // The limit that all clients share comes last: a client that its own limits refuse must not use it up.
      await attemptStore.count(clientLimit(client));
      await attemptStore.count(ownLimit);
      if (!isKnown) await attemptStore.count(userLimit(body.email));
      const response = await callLibrary(exchange, { method: 'POST', path: '/sign-in/email', body });
      await attemptStore.forget(ownLimit);
      const { refusal } = await admitSignIn(context, response);
      if (refusal !== undefined) throw refusal;
      if (!isKnown) markKnownBrowser(config, exchange.res, body.email);
      sendAuthResponse(exchange.res, response);
    }),

    publicRoute('POST', '/api/auth/sign-in/oauth2', async (exchange) => {
      const given = parseRequest(identityProviderBody, exchange.body ?? {});
      const provider = given.providerId ?? config.identityProviders[0]?.id;
      if (provider === undefined) throw noSingleSignOn();
      const body = { provider, callbackURL: given.callbackURL, disableRedirect: true };
      const request = authRequest(config, exchange.req, { method: 'POST', path: '/sign-in/social', body });
      const response = await signIn.callProvider(provider, request);
      if (response.status >= 400) throw await mapSignInError(response);
      sendAuthResponse(exchange.res, response, redirectTarget.parse(await response.json()));
    }),

    publicRoute('GET', '/api/auth/callback/:provider', async (exchange) => {
      const provider = pathParameter(exchange.req, 'provider');
      const search = new URL(exchange.req.url ?? '', config.publicUrl).search;
      const request = { method: 'GET', path: `/callback/${provider}`, search } as const;
      try {
        const { groups, result: response } = await withGroups(() =>
          signIn.callProvider(provider, authRequest(config, exchange.req, request)),
        );
        if (response.status >= 400) throw await mapSignInError(response);
        const { hasSession, refusal } = await admitSignIn(context, response, groups);
        const code = hasSession ? refusal?.code : libraryRefusal(response);
        if (code === undefined) return sendAuthResponse(exchange.res, response);
        exchange.res.redirect(`/sign-in?error=${code}`);
      } catch (error) {
        if (!(error instanceof DashboardError) || !PROFILE_REFUSALS.has(error.code)) throw error;
        if (error.code === 'address_missing')
          context.log.warn({ identity_provider: provider }, 'the identity provider sent no claim "email"');
        exchange.res.redirect(`/sign-in?error=${error.code}`);
      }
    }),

    publicRoute('POST', '/api/auth/sign-out', async (exchange) => {
      const session = await signIn.session(exchange.req.headers);
      const response = await callLibrary(exchange, { method: 'POST', path: '/sign-out', body: {} });
      if (session !== undefined) playgroundKeys.revoke(session.id, originOf(exchange));
      sendAuthResponse(exchange.res, response);
    }),

    publicRoute('POST', '/api/auth/change-password', async (exchange) => {
      if (config.ssoOnly) throw passwordsOff();
      const body = parseRequest(changePasswordBody, exchange.body);
      const session = await signIn.session(exchange.req.headers);
      if (session === undefined) throw signedOut();
      const limit = { action: 'change-password', subject: session.user.id, max: MAX_WRONG_PASSWORDS };
      await attemptStore.count(limit);
      const response = await callLibrary(exchange, {
        method: 'POST',
        path: '/change-password',
        body: { ...body, revokeOtherSessions: true },
      });
      await attemptStore.forget(limit);
      playgroundKeys.revoke(session.id, originOf(exchange));
      sendAuthResponse(exchange.res, response);
    }),
  ];
}

/** Maps the library's "address belongs to another sign-in" to the code for an address with an account. */
function libraryRefusal(response: AuthResponse): string | undefined {
  const error = URL.parse(response.headers.get('location') ?? '')?.searchParams.get('error');
  return error === 'account_not_linked' ? 'sign_up_refused' : undefined;
}
