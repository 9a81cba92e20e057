import { addressGroup, clientIp, inBackground } from '@model-gateway/service-kit';
import type { SignInResponse } from '../../wire/session.ts';
import type { DashboardContext } from '../context.ts';
import { DashboardError } from '../errors/dashboard-error.ts';
import { mapSignInError } from '../errors/map-sign-in-error.ts';
import { passwordsOff } from '../errors/sign-in-errors.ts';
import { requestOrigin } from '../http/observe-request.ts';
import { parseRequest } from '../http/parse-request.ts';
import { signInWithCode, waitingSignIn } from '../security/authenticator-app.ts';
import { passkeyProofBody } from '../security/passkey-bodies.ts';
import { requireProof } from '../security/require-proof.ts';
import { admitSignIn } from '../sign-in/admit-sign-in.ts';
import { changePasswordBody, codeBody, signInBody } from '../sign-in/auth-bodies.ts';
import { type AuthRequest, authRequest } from '../sign-in/auth-request.ts';
import type { SignedInUser } from '../sign-in/holder-session.ts';
import { knownBrowserId, markKnownBrowser } from '../sign-in/known-browser.ts';
import { type AuthResponse, cookiesSetBy, sendAuthResponse } from '../sign-in/send-auth-response.ts';
import {
  clientAndUserLimit,
  clientLimit,
  knownBrowserLimit,
  newPasswordLimit,
  passwordLimit,
  userLimit,
} from '../sign-in/sign-in-limits.ts';
import { signUp } from '../sign-in/sign-up.ts';
import { type ApiExchange, type ApiRoute, publicRoute, sessionRoute } from './api-route.ts';
import { userChange } from './user-change.ts';

/** Exposes these routes of the sign-in library; all others answer 404. */
export function signInRoutes(context: DashboardContext): ApiRoute[] {
  const { attemptStore, config, passkeys, playgroundKeys, sessionStore, signIn, signInReports, userStore } =
    context;
  const callLibrary = async ({ req }: ApiExchange, request: AuthRequest): Promise<Response> => {
    const response = await signIn.call(authRequest(config, req, request));
    if (response.status >= 400) throw await mapSignInError(response);
    return response;
  };

  const originOf = ({ req, res }: ApiExchange) => requestOrigin(context, req, res);
  const clientOf = ({ req }: ApiExchange) => addressGroup(clientIp(req, config.trustProxy));

  /** Answers with the session of a sign-in, unless its account may not be used. */
  const admit = async (exchange: ApiExchange, response: AuthResponse, way: string): Promise<void> => {
    const { session, refusal } = await admitSignIn(context, response);
    if (refusal !== undefined) throw refusal;
    if (session !== undefined) reportSignIn(exchange, session.user, way);
    sendAuthResponse(exchange.res, response);
  };

  const reportSignIn = (exchange: ApiExchange, { id, email }: SignedInUser, detail: string): void =>
    signInReports.send({ action: 'login.succeeded', email, signInId: id, detail }, originOf(exchange));

  /** Reports a sign-in that fails because of what was entered. */
  const reported = async <Result>(
    exchange: ApiExchange,
    { email, way }: { email: string; way: string },
    attempt: Promise<Result>,
  ): Promise<Result> => {
    try {
      return await attempt;
    } catch (error) {
      const isWrong = error instanceof DashboardError && error.code === 'wrong_credentials';
      if (isWrong) signInReports.send({ action: 'login.failed', email, detail: way }, originOf(exchange));
      throw error;
    }
  };

  return [
    publicRoute('POST', '/api/auth/sign-up/email', async (exchange) => {
      sendAuthResponse(exchange.res, await signUp(context, exchange.req, exchange.body));
    }),

    publicRoute('POST', '/api/auth/sign-in/email', async (exchange) => {
      if (config.ssoOnly) throw passwordsOff();
      const body = parseRequest(signInBody, exchange.body);
      const client = clientOf(exchange);
      const browserId = knownBrowserId(config, exchange.req.headers, body.email);
      const isKnown = browserId !== undefined;
      const ownLimit = isKnown ? knownBrowserLimit(browserId) : clientAndUserLimit(body.email, client);
      // The limit that all clients share comes last: a client that its own limits refuse must not use it up.
      await attemptStore.count(clientLimit(client));
      await attemptStore.count(ownLimit);
      if (!isKnown) await attemptStore.count(userLimit(body.email));
      const response = await reported(
        exchange,
        { email: body.email, way: 'password' },
        callLibrary(exchange, { method: 'POST', path: '/sign-in/email', body }),
      );
      await attemptStore.forget(ownLimit);
      const { session, refusal } = await admitSignIn(context, response);
      if (refusal !== undefined) throw refusal;
      if (session !== undefined) reportSignIn(exchange, session.user, 'password');
      if (!isKnown) markKnownBrowser(config, exchange.res, body.email);
      const answer: SignInResponse = { needsCode: session === undefined };
      sendAuthResponse(exchange.res, response, answer);
    }),

    publicRoute('POST', '/api/auth/sign-in/code', async (exchange) => {
      const { code } = parseRequest(codeBody, exchange.body);
      await attemptStore.count(clientLimit(clientOf(exchange)));
      const { userId } = await waitingSignIn(context, exchange.req);
      const user = userId === undefined ? undefined : await userStore.find(userId);
      const wrong = { email: user?.email ?? '', way: 'code' };
      const response = await reported(exchange, wrong, signInWithCode(context, exchange.req, code));
      await admit(exchange, response, 'password and code');
    }),

    publicRoute('POST', '/api/auth/sign-in/passkey/options', async (exchange) => {
      if (config.ssoOnly) throw passwordsOff();
      await attemptStore.count(clientLimit(clientOf(exchange)));
      exchange.res.json(await passkeys.proofOptions());
    }),

    publicRoute('POST', '/api/auth/sign-in/passkey', async (exchange) => {
      if (config.ssoOnly) throw passwordsOff();
      const { response } = parseRequest(passkeyProofBody, exchange.body);
      await attemptStore.count(clientLimit(clientOf(exchange)));
      const userId = await reported(exchange, { email: '', way: 'passkey' }, passkeys.verify(response));
      const request = authRequest(config, exchange.req, { method: 'POST', path: '/sign-in/passkey' });
      await admit(exchange, await signIn.createSession(userId, request), 'passkey');
    }),

    publicRoute('POST', '/api/auth/sign-out', async (exchange) => {
      const session = await signIn.session(exchange.req.headers);
      if (session !== undefined) {
        const { id, user } = session;
        await sessionStore.end(
          user.id,
          id,
          userChange(context, { ...exchange, session }, 'logout.succeeded'),
        );
        playgroundKeys.revoke(id, originOf(exchange));
        inBackground(signInReports.deliver());
      }
      // Deletes the cookies, also if the session has already ended.
      const response = await callLibrary(exchange, { method: 'POST', path: '/sign-out', body: {} });
      sendAuthResponse(exchange.res, response);
    }),

    sessionRoute('POST', '/api/auth/change-password', async (exchange) => {
      if (config.ssoOnly) throw passwordsOff();
      const { session } = exchange;
      const body = parseRequest(changePasswordBody, exchange.body);
      // The current password is a proof, unless an app has to prove more.
      if (session.user.hasApp) requireProof(session);
      const limit = passwordLimit(session.user.id);
      await attemptStore.count(limit);
      await attemptStore.count(newPasswordLimit(session.user.id));
      const request = authRequest(config, exchange.req, {
        method: 'POST',
        path: '/change-password',
        body: { ...body, revokeOtherSessions: true },
      });
      const change = userChange(context, exchange, 'password.changed');
      const response = await signIn.change(request, change);
      if (response.status >= 400) throw await mapSignInError(response);
      await attemptStore.forget(limit);
      playgroundKeys.revoke(session.id, originOf(exchange));
      await signInReports.deliver();
      const next = await signIn.session({ cookie: cookiesSetBy(response) });
      if (next !== undefined) await sessionStore.setActiveAccount(next.id, session.activeAccountId);
      sendAuthResponse(exchange.res, response);
    }),
  ];
}
