import { createServer } from 'node:http';
import { closeServer, listen } from '@model-gateway/service-kit';
import { startGateway, type TestGateway } from '@model-gateway/test-kit/start-gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  CLIENT,
  callbackPath,
  type IdentityProvider,
  signInAs,
  startIdentityProvider,
} from './identity-provider-fixture.ts';
import { Browser, newAddress, refusal, type Server, startServerOf } from './server-fixture.ts';

const DISCOVERY = '/.well-known/openid-configuration';

let gateway: TestGateway;
let provider: IdentityProvider;
beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0 });
  provider = await startIdentityProvider({ id: 'entra' });
});
afterAll(async () => {
  await provider?.close();
  await gateway?.close();
});

function start(issuer: string): Promise<Server> {
  return startServerOf(gateway, {
    OIDC_PROVIDERS: 'entra',
    OIDC_ENTRA_ISSUER: issuer,
    OIDC_ENTRA_CLIENT_ID: CLIENT.id,
    OIDC_ENTRA_CLIENT_SECRET: CLIENT.secret,
  });
}

interface Impostor extends AsyncDisposable {
  url: string;
}

/** Serves the provider's discovery document at another URL, with changes. */
async function serveDiscovery(changes: (url: string) => object): Promise<Impostor> {
  const document = z.looseObject({}).parse(await (await fetch(`${provider.issuer}${DISCOVERY}`)).json());
  const server = createServer((req, res) => {
    const url = `http://${req.headers.host}`;
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ ...document, ...changes(url) }));
  });
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  return { url, [Symbol.asyncDispose]: () => closeServer(server, 0) };
}

describe('the issuer of an identity provider', () => {
  it('must be the one in its discovery document', async () => {
    await using impostor = await serveDiscovery(() => ({}));
    for (const issuer of [`${impostor.url}/wrong`, impostor.url]) {
      await using server = await start(issuer);
      const response = await new Browser(server).post('/api/auth/sign-in/oauth2', { providerId: 'entra' });
      expect(await refusal(response.clone())).toEqual([503, 'service_unavailable']);
      expect(await response.text()).toContain('not set up correctly');
      const callback = await new Browser(server).fetch('/api/auth/callback/entra?code=a&state=b');
      expect(callback.status).toBe(503);
      expect(server.logText()).toContain('set OIDC_ENTRA_ISSUER to the issuer');
      expect(server.logText()).toContain(
        JSON.stringify({ setting: issuer, discovery_document: provider.issuer }),
      );
    }
  });

  it('may have a trailing slash there or in the settings', async () => {
    await using server = await start(`${provider.issuer}/`);
    expect(await signInAs(new Browser(server), `a|${newAddress()}|true`, 'entra')).toBe('/dashboard/usage');
    await using withSlash = await serveDiscovery((url) => ({ issuer: `${url}/` }));
    await using other = await start(withSlash.url);
    const response = await new Browser(other).post('/api/auth/sign-in/oauth2', { providerId: 'entra' });
    expect(response.status).toBe(200);
  });

  it('may not leave out the e-mail address of a person', async () => {
    await using server = await start(provider.issuer);
    expect(await signInAs(new Browser(server), 'c||true', 'entra')).toBe('/sign-in?error=address_missing');
    expect(server.logText()).toContain('sent no claim');
  });

  it('must be that of the ID token', async () => {
    await using impostor = await serveDiscovery((url) => ({ issuer: url }));
    await using server = await start(impostor.url);
    const browser = new Browser(server);
    const back = new URL(await callbackPath(browser, `b|${newAddress()}|true`, 'entra'), server.url);
    // The library compares this one as well, but not every provider sends it.
    back.searchParams.delete('iss');
    const response = await browser.fetch(`${back.pathname}${back.search}`);
    expect(response.headers.get('location')).toMatch(/\/sign-in\?error=unable_to_get_user_info/);
    expect(server.logText()).toContain('id_token failed verification');
    expect(await browser.json('/api/session')).toMatchObject({ user: null });
  });
});
