import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { DashboardError } from '../errors/dashboard-error.ts';
import { mapSignInError } from '../errors/map-sign-in-error.ts';
import { signInEnded, wrongCode } from '../errors/sign-in-errors.ts';
import { type AuthRequest, authRequest } from '../sign-in/auth-request.ts';
import type { UserChange } from '../sign-in/sign-in-change-store.ts';
import type { SignInContext } from '../sign-in/sign-in-context.ts';

const started = z.object({ totpURI: z.string(), backupCodes: z.array(z.string()) });
const renewed = z.object({ backupCodes: z.array(z.string()) });

/** Cookie of a sign-in that waits for its code; `__Secure-` over https. */
const WAITING_COOKIE = /(?:^|;)\s*((?:__Secure-)?dashboard\.two_factor=([^;.]+)[^;]*)/;

type Context = Pick<SignInContext, 'attemptStore' | 'config' | 'oneTimeTokenStore' | 'signIn'>;

/**
 * Begins to set up an app. It takes effect with its first code.
 * @returns the otpauth: URI for the app, and codes that work once without it
 * @throws DashboardError invalid_request (the password is wrong, or there is an app), service_unavailable
 */
export async function startApp(context: Context, req: IncomingMessage, password: string) {
  const response = await call(context, req, {
    method: 'POST',
    path: '/two-factor/enable',
    body: { password },
  });
  const { totpURI: uri, backupCodes } = started.parse(await response.json());
  return { uri, backupCodes };
}

/** Verifies a code in the session of a user. @throws DashboardError wrong_credentials, service_unavailable */
export async function verifyCode(
  context: Context,
  req: IncomingMessage,
  userId: string,
  code: string,
): Promise<void> {
  await claimCode(context, userId, code);
  await call(context, req, verifyRequest(code));
}

/**
 * Ends the set-up of an app with its first code.
 * @returns the library's response, with a new session
 * @throws DashboardError wrong_credentials, service_unavailable
 */
export async function confirmApp(
  context: Context,
  req: IncomingMessage,
  change: UserChange,
  code: string,
): Promise<Response> {
  await claimCode(context, change.signInId, code);
  return await call(context, req, verifyRequest(code), change);
}

/** Finds the user whose sign-in waits for its second step in this browser; undefined: none. */
export async function waitingSignIn(
  { oneTimeTokenStore }: Pick<Context, 'oneTimeTokenStore'>,
  { headers }: IncomingMessage,
): Promise<{ cookie?: string | undefined; userId?: string | undefined }> {
  const [, cookie, identifier] = WAITING_COOKIE.exec(headers.cookie ?? '') ?? [];
  if (identifier === undefined) return {};
  return { cookie, userId: await oneTimeTokenStore.ownerOf(decodeURIComponent(identifier)) };
}

/**
 * Ends a sign-in that waits for its second step, with a code of the app or a backup code.
 * @returns the library's response, with the session's cookie
 * @throws DashboardError wrong_credentials, sign_in_ended, rate_limit_exceeded, service_unavailable
 */
export async function signInWithCode(
  context: Context,
  req: IncomingMessage,
  code: string,
): Promise<Response> {
  const { cookie, userId } = await waitingSignIn(context, req);
  if (cookie === undefined || userId === undefined) throw signInEnded();
  const isOfApp = /^\d{6}$/.test(code);
  if (isOfApp) await claimCode(context, userId, code);
  const path = isOfApp ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code';
  // Without the cookie of a session, which the library would check instead of starting a new one.
  return await call(context, req, { method: 'POST', path, body: { code }, cookie });
}

/** @throws DashboardError invalid_request (the password is wrong), service_unavailable */
export function turnAppOff(
  context: Context,
  req: IncomingMessage,
  change: UserChange,
  password: string,
): Promise<Response> {
  return call(context, req, { method: 'POST', path: '/two-factor/disable', body: { password } }, change);
}

/** Replaces the backup codes. @throws DashboardError invalid_request, service_unavailable */
export async function renewBackupCodes(
  context: Context,
  req: IncomingMessage,
  change: UserChange,
  password: string,
): Promise<string[]> {
  const path = '/two-factor/generate-backup-codes';
  const response = await call(context, req, { method: 'POST', path, body: { password } }, change);
  return renewed.parse(await response.json()).backupCodes;
}

/**
 * Makes a code work once (RFC 6238, section 5.2), which the library does not: a code that somebody has seen
 * is valid for a minute and a half. @throws DashboardError wrong_credentials, service_unavailable
 */
async function claimCode({ attemptStore }: Context, userId: string, code: string): Promise<void> {
  await attemptStore
    .count({ action: 'code', subject: `${userId} ${code}`, max: 1 })
    .catch((error: unknown) => {
      const isUsed = error instanceof DashboardError && error.code === 'rate_limit_exceeded';
      throw isUsed ? wrongCode(error) : error;
    });
}

function verifyRequest(code: string): AuthRequest {
  return { method: 'POST', path: '/two-factor/verify-totp', body: { code } };
}

/** @param change left out: the call has no event in the audit log */
async function call(
  { config, signIn }: Context,
  req: IncomingMessage,
  request: AuthRequest,
  change?: UserChange,
): Promise<Response> {
  const sent = authRequest(config, req, request);
  const response = await (change === undefined ? signIn.call(sent) : signIn.change(sent, change));
  if (response.status >= 400) throw await mapSignInError(response);
  return response;
}
