import { z } from 'zod';
import type { DashboardContext } from '../context.ts';
import { DashboardError } from '../errors/dashboard-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import { mapSignInError } from '../errors/map-sign-in-error.ts';
import { noSingleSignOn } from '../errors/sign-in-errors.ts';
import { requestOrigin } from '../http/observe-request.ts';
import { parseRequest } from '../http/parse-request.ts';
import { proofRefusal } from '../security/proof-refusal.ts';
import { admitSignIn } from '../sign-in/admit-sign-in.ts';
import { identityProviderBody } from '../sign-in/auth-bodies.ts';
import { authRequest } from '../sign-in/auth-request.ts';
import { SIGN_IN_AGAIN } from '../sign-in/authentication-time.ts';
import type { HolderSession } from '../sign-in/holder-session.ts';
import { withProviderResponse } from '../sign-in/provider-response.ts';
import { type AuthResponse, sendAuthResponse } from '../sign-in/send-auth-response.ts';
import { type ApiExchange, type ApiRoute, pathParameter, publicRoute } from './api-route.ts';

/** The reasons of checkProfile and UserStore.admitVerified; the sign-in page explains them. */
const PROFILE_REFUSALS = new Set<ErrorCode>([
  'address_missing',
  'address_not_allowed',
  'address_not_verified',
  'sign_in_elsewhere',
]);

/** The page of the identity provider. */
const redirectTarget = z.object({ url: z.url() });

/** Sign-ins through the identity providers. */
export function identityProviderRoutes(context: DashboardContext): ApiRoute[] {
  const { config, playgroundKeys, sessionStore, signIn, signInReports } = context;
  const originOf = ({ req, res }: ApiExchange) => requestOrigin(context, req, res);

  /** Ends the browser's session if its user has just signed in again, and goes on with its account. */
  const replaceSession = async (exchange: ApiExchange, next: HolderSession): Promise<void> => {
    const old = await signIn.session(exchange.req.headers);
    if (old === undefined || old.user.id !== next.user.id) return;
    await sessionStore.setActiveAccount(next.id, old.activeAccountId);
    await sessionStore.end(old.user.id, old.id);
    playgroundKeys.revoke(old.id, originOf(exchange));
  };

  return [
    publicRoute('POST', '/api/auth/sign-in/oauth2', async (exchange) => {
      const given = parseRequest(identityProviderBody, exchange.body ?? {});
      const provider = given.providerId ?? config.identityProviders[0]?.id;
      if (provider === undefined) throw noSingleSignOn();
      const body = {
        provider,
        callbackURL: given.callbackURL,
        disableRedirect: true,
        // Asks for another sign-in there, and for auth_time (OpenID Connect Core 1.0, 3.1.2.1).
        ...(given.again && { additionalParams: { max_age: '0' }, additionalData: SIGN_IN_AGAIN }),
      };
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
        const { response: seen, result: response } = await withProviderResponse(() =>
          signIn.callProvider(provider, authRequest(config, exchange.req, request)),
        );
        if (response.status >= 400) throw await mapSignInError(response);
        const { session, refusal } = await admitSignIn(context, response, seen.groups);
        const proof = proofRefusal(seen);
        if (session !== undefined && refusal === undefined && proof !== undefined) {
          await sessionStore.end(session.user.id, session.id);
          context.log.warn(
            { identity_provider: provider, authenticated_at: seen.authenticatedAt, max_age: 0 },
            'the identity provider did not let a person sign in again, or its ID token lacks auth_time',
          );
          return exchange.res.redirect(`/sign-in-again?error=${proof}`);
        }
        const code = session === undefined ? libraryRefusal(response) : refusal?.code;
        if (code === undefined) {
          if (session !== undefined) {
            await replaceSession(exchange, session);
            const { email, id: signInId } = session.user;
            const detail = `identity provider ${provider}`;
            signInReports.send({ action: 'login.succeeded', email, signInId, detail }, originOf(exchange));
          }
          return sendAuthResponse(exchange.res, response);
        }
        exchange.res.redirect(`/sign-in?error=${code}`);
      } catch (error) {
        if (!(error instanceof DashboardError) || !PROFILE_REFUSALS.has(error.code)) throw error;
        if (error.code === 'address_missing')
          context.log.warn({ identity_provider: provider }, 'the identity provider sent no claim "email"');
        exchange.res.redirect(`/sign-in?error=${error.code}`);
      }
    }),
  ];
}

/** Maps the library's "address belongs to another sign-in" to the code for an address with an account. */
function libraryRefusal(response: AuthResponse): string | undefined {
  const error = URL.parse(response.headers.get('location') ?? '')?.searchParams.get('error');
  return error === 'account_not_linked' ? 'sign_up_refused' : undefined;
}
