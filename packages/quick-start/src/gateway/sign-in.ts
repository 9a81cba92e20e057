import { randomBytes } from 'node:crypto';
import type { ControlPlaneClient } from '@model-gateway/contracts';
import { z } from 'zod';
import { QuickStartError } from '../quick-start-error.ts';
import { CALL_DEADLINE_MS } from './call-deadline.ts';

interface Credentials {
  email: string;
  password: string;
}

export interface SignIn extends Credentials {
  /** True when the password does not work any more, because the user has set another one. */
  changed: boolean;
}

export function newPassword(): string {
  return randomBytes(12).toString('base64url');
}

/** Returns true if the dashboard takes no passwords (`SSO_ONLY`). @throws the signal's reason */
export async function isSsoOnly(dashboardUrl: string, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(`${dashboardUrl}/api/session`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_DEADLINE_MS)]),
  });
  return session.parse(await response.json()).ssoOnly;
}

const session = z.object({ ssoOnly: z.boolean() });

/**
 * Returns the sign-in of an account at the dashboard.
 * @param isNew true: the account gets this password; false: it has it, unless the user has set another one
 * @throws QuickStartError for an unexpected response of the dashboard; the signal's reason
 */
export async function signInOf(
  credentials: Credentials,
  isNew: boolean,
  client: ControlPlaneClient,
  dashboardUrl: string,
  signal: AbortSignal,
): Promise<SignIn> {
  if (isNew) await setPassword(credentials, client, dashboardUrl, signal);
  return { ...credentials, changed: !(await isAccepted(credentials, dashboardUrl, signal)) };
}

/** @throws QuickStartError for an unexpected response of the dashboard; the signal's reason */
async function setPassword(
  { email, password }: Credentials,
  client: ControlPlaneClient,
  dashboardUrl: string,
  signal: AbortSignal,
): Promise<void> {
  const { token } = await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'resetPassword', {
    account: email,
    // The account's keys are in use on this machine, and a new password is no reason to revoke them.
    revokeKeys: false,
  });
  const { status, text } = await post(dashboardUrl, '/api/password-reset', { token, password }, signal);
  if (status !== 204) {
    throw new QuickStartError([`the dashboard did not take a password for ${email}: ${status} ${text}`]);
  }
}

/** Signs in and out again: the user would not know a session that they find in their list. */
async function isAccepted(
  credentials: Credentials,
  dashboardUrl: string,
  signal: AbortSignal,
): Promise<boolean> {
  const path = '/api/auth/sign-in/email';
  const { status, text, cookie } = await post(dashboardUrl, path, { ...credentials }, signal);
  if (status === 200) await post(dashboardUrl, '/api/auth/sign-out', {}, signal, cookie);
  // 429: too many recent attempts, which says nothing about this password.
  if (status === 200 || status === 429) return true;
  if (status === 401) return false;
  throw new QuickStartError([`the dashboard did not let ${credentials.email} sign in: ${status} ${text}`]);
}

async function post(
  dashboardUrl: string,
  path: string,
  body: Record<string, string>,
  signal: AbortSignal,
  cookie = '',
): Promise<{ status: number; text: string; cookie: string }> {
  const response = await fetch(`${dashboardUrl}${path}`, {
    method: 'POST',
    // The dashboard only accepts requests from its own pages.
    headers: { 'content-type': 'application/json', origin: dashboardUrl, cookie },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_DEADLINE_MS)]),
  });
  const cookies = response.headers.getSetCookie().map((each) => each.split(';', 1)[0]);
  return { status: response.status, text: await response.text(), cookie: cookies.join('; ') };
}
