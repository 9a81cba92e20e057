import {
  type BackupCodesResponse,
  type EndOthersResponse,
  type SecurityResponse,
  type StartAppResponse,
  signInWay,
} from '../../wire/security.ts';
import type { DashboardContext } from '../context.ts';
import { passkeyNotFound, sessionNotFound } from '../errors/request-errors.ts';
import { noPassword, passwordsOff } from '../errors/sign-in-errors.ts';
import { requestOrigin } from '../http/observe-request.ts';
import { parseRequest } from '../http/parse-request.ts';
import { renewBackupCodes, startApp, turnAppOff, verifyCode } from '../security/authenticator-app.ts';
import { addPasskeyBody } from '../security/passkey-bodies.ts';
import type { SignInReport } from '../security/sign-in-reports.ts';
import { codeBody, passwordBody } from '../sign-in/auth-bodies.ts';
import { sendAuthResponse } from '../sign-in/send-auth-response.ts';
import { passwordLimit } from '../sign-in/sign-in-limits.ts';
import { type ApiRoute, type HolderExchange, holderRoute, pathParameter } from './api-route.ts';

/** Null also for a way that a later release has stored. */
const storedWay = signInWay.nullable().catch(null);

/** Sessions, passkeys and the authenticator app of the signed-in user. */
export function securityRoutes(context: DashboardContext): ApiRoute[] {
  const { attemptStore, config, passkeys, passkeyStore, playgroundKeys, sessionStore, signIn, userStore } =
    context;
  const proven = { needsProof: true };

  const report = async (
    { req, res, session: { user } }: HolderExchange,
    action: string,
    object?: SignInReport['object'],
  ): Promise<void> => {
    const named = object === undefined ? {} : { object };
    await context.signInReports.record(
      { action, email: user.email, signInId: user.id, ...named },
      requestOrigin(context, req, res),
    );
  };

  /** Runs an action for which the sign-in library needs the password; limits the attempts. */
  const withPassword = async <Result>(
    { session, body }: HolderExchange,
    act: (password: string) => Promise<Result>,
  ): Promise<Result> => {
    if (config.ssoOnly) throw passwordsOff();
    const { password } = parseRequest(passwordBody, body);
    const limit = passwordLimit(session.user.id);
    await attemptStore.count(limit);
    const { hasPassword } = await userStore.credentialsOf(session.user.id);
    if (!hasPassword) throw noPassword();
    const result = await act(password);
    await attemptStore.forget(limit);
    return result;
  };

  return [
    holderRoute('sign-in', 'GET', '/api/security', async ({ res, session }) => {
      const { user } = session;
      const [sessions, stored, { hasPassword }] = await Promise.all([
        sessionStore.listOf(user.id),
        passkeyStore.listOf(user.id),
        userStore.credentialsOf(user.id),
      ]);
      const response: SecurityResponse = {
        sessions: sessions.map(({ id, ipAddress, userAgent, signInWay: way, createdAt, usedAt }) => ({
          id,
          browser: userAgent ?? '',
          address: ipAddress ?? '',
          way: storedWay.parse(way),
          createdAtMs: createdAt.getTime(),
          usedAtMs: usedAt.getTime(),
          isThis: id === session.id,
        })),
        passkeys: stored.map(({ id, name, createdAt, usedAt }) => ({
          id,
          name,
          createdAtMs: createdAt.getTime(),
          usedAtMs: usedAt?.getTime() ?? null,
        })),
        hasPassword,
        app: user.hasApp ? { backupCodesLeft: await signIn.countBackupCodes(user.id) } : null,
      };
      res.json(response);
    }),

    holderRoute(
      'sign-in',
      'POST',
      '/api/security/sessions/end-others',
      async (exchange) => {
        const { req, res, session } = exchange;
        const ids = await sessionStore.endOthers(session.user.id, session.id);
        for (const id of ids) playgroundKeys.revoke(id, requestOrigin(context, req, res));
        await Promise.all(
          ids.map((id) => report(exchange, 'session.ended', { type: 'session', id, name: '' })),
        );
        const response: EndOthersResponse = { ended: ids.length };
        res.json(response);
      },
      { isChange: false },
    ),

    holderRoute(
      'sign-in',
      'POST',
      '/api/security/sessions/:sessionId/end',
      async (exchange) => {
        const { req, res, session } = exchange;
        const id = pathParameter(req, 'sessionId');
        if (!(await sessionStore.end(session.user.id, id))) throw sessionNotFound();
        playgroundKeys.revoke(id, requestOrigin(context, req, res));
        await report(exchange, 'session.ended', { type: 'session', id, name: '' });
        res.status(204).end();
      },
      { isChange: false },
    ),

    holderRoute(
      'sign-in',
      'POST',
      '/api/security/passkeys/options',
      async ({ res, session }) => {
        if (config.ssoOnly) throw passwordsOff();
        res.json(await passkeys.registrationOptions(session.user));
      },
      proven,
    ),

    holderRoute(
      'sign-in',
      'POST',
      '/api/security/passkeys',
      async (exchange) => {
        const { res, session, body } = exchange;
        if (config.ssoOnly) throw passwordsOff();
        const { name, response } = parseRequest(addPasskeyBody, body);
        await passkeys.register(session.user.id, name, response);
        await report(exchange, 'passkey.added', { type: 'passkey', id: response.id, name });
        res.status(204).end();
      },
      proven,
    ),

    holderRoute(
      'sign-in',
      'POST',
      '/api/security/passkeys/:passkeyId/remove',
      async (exchange) => {
        const { req, res, session } = exchange;
        const id = pathParameter(req, 'passkeyId');
        const name = await passkeyStore.remove(session.user.id, id);
        if (name === undefined) throw passkeyNotFound();
        await report(exchange, 'passkey.removed', { type: 'passkey', id, name });
        res.status(204).end();
      },
      proven,
    ),

    holderRoute('sign-in', 'POST', '/api/security/app/start', async (exchange) => {
      const response: StartAppResponse = await withPassword(exchange, (password) =>
        startApp(context, exchange.req, password),
      );
      exchange.res.json(response);
    }),

    holderRoute('sign-in', 'POST', '/api/security/app/confirm', async (exchange) => {
      const { req, res, session, body } = exchange;
      const { code } = parseRequest(codeBody, body);
      const limit = passwordLimit(session.user.id);
      await attemptStore.count(limit);
      const response = await verifyCode(context, req, session.user.id, code);
      await attemptStore.forget(limit);
      await report(exchange, 'totp.added');
      // The library has replaced the session.
      playgroundKeys.revoke(session.id, requestOrigin(context, req, res));
      sendAuthResponse(res, response);
    }),

    holderRoute(
      'sign-in',
      'POST',
      '/api/security/app/turn-off',
      async (exchange) => {
        const { req, res, session } = exchange;
        const response = await withPassword(exchange, (password) => turnAppOff(context, req, password));
        await report(exchange, 'totp.removed');
        playgroundKeys.revoke(session.id, requestOrigin(context, req, res));
        sendAuthResponse(res, response);
      },
      proven,
    ),

    holderRoute(
      'sign-in',
      'POST',
      '/api/security/app/backup-codes',
      async (exchange) => {
        const response: BackupCodesResponse = {
          backupCodes: await withPassword(exchange, (password) =>
            renewBackupCodes(context, exchange.req, password),
          ),
        };
        await report(exchange, 'backup_codes.renewed');
        exchange.res.json(response);
      },
      proven,
    ),
  ];
}
