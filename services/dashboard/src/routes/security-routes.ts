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
import { confirmApp, renewBackupCodes, startApp, turnAppOff } from '../security/authenticator-app.ts';
import { addPasskeyBody } from '../security/passkey-bodies.ts';
import { codeBody, passwordBody } from '../sign-in/auth-bodies.ts';
import { sendAuthResponse } from '../sign-in/send-auth-response.ts';
import type { SignInChange } from '../sign-in/sign-in-change-store.ts';
import { passwordLimit } from '../sign-in/sign-in-limits.ts';
import { type ApiRoute, type HolderExchange, holderRoute, pathParameter } from './api-route.ts';
import { userChange } from './user-change.ts';

/** Null also for a way that a later release has stored. */
const storedWay = signInWay.nullable().catch(null);

/** Sessions, passkeys and the authenticator app of the signed-in user. */
export function securityRoutes(context: DashboardContext): ApiRoute[] {
  const { attemptStore, config, passkeys, passkeyStore, playgroundKeys } = context;
  const { sessionStore, signIn, signInReports, userStore } = context;
  const proven = { needsProof: true };

  const endOf = (exchange: HolderExchange, id: string): SignInChange =>
    userChange(context, exchange, 'session.ended', { type: 'session', id, name: '' });

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
        const endOfOther = (id: string) => endOf(exchange, id);
        const ids = await sessionStore.endOthers(session.user.id, session.id, endOfOther);
        for (const id of ids) playgroundKeys.revoke(id, requestOrigin(context, req, res));
        await signInReports.deliver();
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
        if (!(await sessionStore.end(session.user.id, id, endOf(exchange, id)))) throw sessionNotFound();
        playgroundKeys.revoke(id, requestOrigin(context, req, res));
        await signInReports.deliver();
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
        const change = userChange(context, exchange, 'passkey.added', {
          type: 'passkey',
          id: response.id,
          name,
        });
        await passkeys.register(session.user.id, name, response, change);
        await signInReports.deliver();
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
        const changeOf = (name: string) =>
          userChange(context, exchange, 'passkey.removed', { type: 'passkey', id, name });
        if (!(await passkeyStore.remove(session.user.id, id, changeOf))) throw passkeyNotFound();
        await signInReports.deliver();
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
      const response = await confirmApp(context, req, userChange(context, exchange, 'totp.added'), code);
      await attemptStore.forget(limit);
      await signInReports.deliver();
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
        const change = userChange(context, exchange, 'totp.removed');
        const response = await withPassword(exchange, (password) =>
          turnAppOff(context, req, change, password),
        );
        await signInReports.deliver();
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
        const change = userChange(context, exchange, 'backup_codes.renewed');
        const response: BackupCodesResponse = {
          backupCodes: await withPassword(exchange, (password) =>
            renewBackupCodes(context, exchange.req, change, password),
          ),
        };
        await signInReports.deliver();
        exchange.res.json(response);
      },
      proven,
    ),
  ];
}
