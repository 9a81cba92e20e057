import { randomBytes } from 'node:crypto';
import type { ControlPlaneClient } from '@model-gateway/contracts';
import { QuickStartError } from '../quick-start-error.ts';
import { CALL_DEADLINE_MS } from './call-deadline.ts';
import { DEMO_EMAIL } from './demo-account.ts';

export interface DemoSignIn {
  email: string;
  /** The password that was set when the account had none. */
  password: string;
  /** True when the password does not work any more, because the user has set another one. */
  changed: boolean;
}

/**
 * Returns the sign-in of the demo account at the dashboard.
 * @param lastPassword the password of the last start; undefined: unknown, so the account gets a new one
 * @throws QuickStartError for an unexpected response of the dashboard; the signal's reason
 */
export async function demoSignIn(
  client: ControlPlaneClient,
  dashboardUrl: string,
  lastPassword: string | undefined,
  signal: AbortSignal,
): Promise<DemoSignIn> {
  const password = lastPassword ?? randomBytes(12).toString('base64url');
  if (lastPassword === undefined) await setPassword(client, dashboardUrl, password, signal);
  return { email: DEMO_EMAIL, password, changed: !(await isAccepted(dashboardUrl, password, signal)) };
}

async function setPassword(
  client: ControlPlaneClient,
  dashboardUrl: string,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  const { token } = await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'resetPassword', {
    account: DEMO_EMAIL,
    // The demo account's keys are in use on this machine, and a new password is no reason to revoke them.
    revokeKeys: false,
  });
  const { status, text } = await post(dashboardUrl, '/api/password-reset', { token, password }, signal);
  if (status !== 204) {
    throw new QuickStartError([`the dashboard did not take a password for ${DEMO_EMAIL}: ${status} ${text}`]);
  }
}

async function isAccepted(dashboardUrl: string, password: string, signal: AbortSignal): Promise<boolean> {
  const credentials = { email: DEMO_EMAIL, password };
  const { status, text } = await post(dashboardUrl, '/api/auth/sign-in/email', credentials, signal);
  // 429: too many recent attempts, which says nothing about this password.
  if (status === 200 || status === 429) return true;
  if (status === 401) return false;
  throw new QuickStartError([`the dashboard did not let ${DEMO_EMAIL} sign in: ${status} ${text}`]);
}

async function post(
  dashboardUrl: string,
  path: string,
  body: Record<string, string>,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${dashboardUrl}${path}`, {
    method: 'POST',
    // The dashboard only accepts requests from its own pages.
    headers: { 'content-type': 'application/json', origin: dashboardUrl },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_DEADLINE_MS)]),
  });
  return { status: response.status, text: await response.text() };
}
