import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { closeServer, listen } from '@model-gateway/service-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import Provider from 'oidc-provider';
import { z } from 'zod';
import { Browser, PUBLIC_URL } from './server-fixture.ts';

export const CLIENT = { id: 'dashboard', secret: 'a-client-secret-of-the-test' };

export interface IdentityProvider {
  issuer: string;
  /** Groups by login; for other logins the provider sends no groups. */
  groups: Map<string, string[]>;
  /** Seconds by which the auth_time of its ID tokens lies in the past. */
  signedInSecondsAgo: number;
  close(): Promise<void>;
}

/**
 * Starts a provider that accepts any login: `<subject>|<address>|<email_verified>[|<length of the name>]`.
 * Without the third part, it sends no email_verified.
 * @param options `id` and `publicUrl` are those of its redirect URI
 */
export async function startIdentityProvider({
  port,
  id = 'oidc',
  publicUrl = PUBLIC_URL,
}: {
  port?: number;
  id?: string;
  publicUrl?: string;
} = {}): Promise<IdentityProvider> {
  const chosen = port ?? (await freePort());
  const issuer = `http://127.0.0.1:${chosen}`;
  const groups = new Map<string, string[]>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${publicUrl}/api/auth/callback/${id}`],
      },
    ],
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    // Without these the library warns on the console.
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    jwks: {
      keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })],
    },
    features: { devInteractions: { enabled: true } },
    findAccount: (_context, id) => {
      const [, email = '', verified, letters] = id.split('|');
      const name = letters === undefined ? 'Known Elsewhere' : 'x'.repeat(Number(letters));
      return {
        accountId: id,
        claims: () => ({
          sub: id,
          email,
          ...(verified !== undefined && { email_verified: verified === 'true' }),
          name,
          ...(groups.has(id) && { groups: groups.get(id) }),
        }),
      };
    },
  });
  const state = { signedInSecondsAgo: 0 };
  const { prototype: session } = provider.Session;
  const { authTime } = session;
  session.authTime = function aged() {
    return authTime.call(this) - state.signedInSecondsAgo;
  };
  const server = createServer(provider.callback());
  await listen(server, chosen, '127.0.0.1');
  return Object.assign(state, { issuer, groups, close: () => closeServer(server, 0) });
}

const redirect = z.object({ url: z.url() });

/** Signs in at the identity provider. @returns the path to which the dashboard redirects at the end */
export async function signInAs(browser: Browser, login: string, providerId?: string): Promise<string> {
  const response = await browser.fetch(await callbackPath(browser, login, providerId));
  return response.headers.get('location') ?? `status ${response.status}`;
}

/**
 * Signs in at the identity provider.
 * @param options.again true: requested as a proof of identity
 * @param options.edit changes the URL of the provider, as somebody at the browser can
 * @returns the callback to which it redirects the browser
 */
export async function callbackPath(
  browser: Browser,
  login: string,
  providerId?: string,
  { again = false, edit = (url) => url.href }: { again?: boolean; edit?: (url: URL) => string } = {},
): Promise<string> {
  const body = { providerId, callbackURL: '/dashboard/usage', again };
  const { url } = redirect.parse(await browser.json('/api/auth/sign-in/oauth2', { body }));
  const jar = new Browser({ url: '' });
  let next = edit(new URL(url));
  while (!next.startsWith(PUBLIC_URL)) {
    const page = await jar.fetch(next);
    next = new URL(page.headers.get('location') ?? (await submit(jar, next, await page.text(), login)), next)
      .href;
  }
  const back = new URL(next);
  return `${back.pathname}${back.search}`;
}

/** Submits the provider's login or consent form. @returns the URL to which it redirects */
async function submit(jar: Browser, page: string, html: string, login: string): Promise<string> {
  const action = /action="([^"]+)"/.exec(html)?.[1] ?? '';
  const prompt = /name="prompt" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const response = await jar.fetch(new URL(action, page).href, {
    body: new URLSearchParams({ prompt, login, password: 'any' }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(page).origin },
  });
  return response.headers.get('location') ?? `about:blank#${response.status}`;
}
