import type { ControlPlaneClient } from '@model-gateway/contracts';
import { securityResponse, startAppResponse } from '../wire/security.ts';
import { nextCode } from './authenticator-app.ts';
import { ENDS_SESSIONS, RESETS, SIGNS_OUT } from './observe-sign-ins.ts';
import { Browser, newAddress, PASSWORD, signedUp } from './server-fixture.ts';
import { SoftwarePasskey } from './software-passkey.ts';

const CALL_DEADLINE_MS = 30_000;

/** Dashboard, and a client with the operator's token. */
export interface ChangedSite {
  url: string;
  admin: ControlPlaneClient;
}

/** Creates a user, and returns a function that changes its sign-in. It is called until the dashboard dies. */
export type SignInWriter = (site: ChangedSite) => Promise<() => Promise<void>>;

/** Make, together, every kind of change of a sign-in. */
export const SIGN_IN_WRITERS: readonly SignInWriter[] = [
  async (site) => {
    const browser = await signedUp(site);
    return async () => {
      const passkey = new SoftwarePasskey();
      const options = await browser.json('/api/security/passkeys/options', { body: {} });
      const added = { name: 'Laptop', response: passkey.register(options) };
      await succeed(browser.post('/api/security/passkeys', added));
      await succeed(browser.post(`/api/security/passkeys/${passkey.id}/remove`));
    };
  },
  async (site) => {
    const browser = await signedUp(site);
    const passwords = [PASSWORD, `${PASSWORD} again`];
    return async () => {
      const [currentPassword, newPassword] = passwords;
      await succeed(browser.post('/api/auth/change-password', { currentPassword, newPassword }));
      passwords.reverse();
    };
  },
  async (site) => {
    const browser = await signedUp(site);
    const password = PASSWORD;
    return async () => {
      const started = await browser.json('/api/security/app/start', { body: { password } });
      const { uri } = startAppResponse.parse(started);
      await succeed(browser.post('/api/security/app/confirm', { code: await nextCode(uri) }));
      await succeed(browser.post('/api/security/app/backup-codes', { password }));
      await succeed(browser.post('/api/security/app/turn-off', { password }));
    };
  },
  async (site) => {
    const email = `${ENDS_SESSIONS}${newAddress()}`;
    const browser = await signedUp(site, email);
    return async () => {
      for (let other = 0; other < 3; other++) await succeed(new Browser(site).signIn(email));
      const { sessions } = securityResponse.parse(await browser.json('/api/security'));
      const one = sessions.find(({ isThis }) => !isThis)?.id ?? '';
      await succeed(browser.post(`/api/security/sessions/${one}/end`));
      await succeed(browser.post('/api/security/sessions/end-others'));
    };
  },
  async (site) => {
    const email = `${SIGNS_OUT}${newAddress()}`;
    await signedUp(site, email);
    return async () => {
      const browser = new Browser(site);
      await succeed(browser.signIn(email));
      await succeed(browser.post('/api/auth/sign-out'));
    };
  },
  async ({ admin, ...site }) => {
    const email = `${RESETS}${newAddress()}`;
    await admin.callOnce(CALL_DEADLINE_MS, 'accounts', 'createAccount', { email, name: 'Test' });
    return async () => {
      const { token } = await admin.callOnce(CALL_DEADLINE_MS, 'accounts', 'resetPassword', {
        account: email,
      });
      await succeed(new Browser(site).post('/api/password-reset', { token, password: PASSWORD }));
    };
  },
];

async function succeed(sent: Promise<Response>): Promise<void> {
  const response = await sent;
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}
