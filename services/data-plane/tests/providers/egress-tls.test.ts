import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { openAiCompatible } from '@model-gateway/dialects';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RoutedProvider } from '../../src/catalog/model-table.ts';
import { awsCredentials } from '../../src/credential-sources/aws-credentials.ts';
import { EgressProxy } from '../../src/egress/egress-proxy.ts';
import { ProviderPools } from '../../src/upstream/provider-pools.ts';
import { type ConnectProxy, startConnectProxy } from './start-connect-proxy.ts';

/** The response of AWS to a web identity. */
const ROLE =
  '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">' +
  '<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>AKIDROLE</AccessKeyId>' +
  '<SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken>' +
  '<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>' +
  '</AssumeRoleWithWebIdentityResponse>';

let stack: AsyncDisposableStack;
let folder: string;
let proxy: ConnectProxy;

/** Starts a server with a certificate of provider.test, over HTTP/2 and HTTP/1.1, and a proxy before it. */
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  folder = mkdtempSync(join(tmpdir(), 'egress-'));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const openssl =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=provider.test ' +
    '-addext subjectAltName=DNS:provider.test,DNS:sts.provider.test -keyout key -out cert';
  execFileSync('openssl', openssl.split(' '), { cwd: folder, stdio: 'pipe' });
  const [key, cert] = ['key', 'cert'].map((name) => readFileSync(join(folder, name), 'utf8'));
  const server = createSecureServer({ key, cert, allowHTTP1: true }, (req, res) => {
    const authority = req.authority || req.headers.host;
    if (authority === 'sts.provider.test') res.setHeader('content-type', 'text/xml');
    res.end(
      authority === 'sts.provider.test' ? ROLE : JSON.stringify({ version: req.httpVersion, authority }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => void server.close());
  const trusted = getCACertificates();
  setDefaultCACertificates([...trusted, cert ?? '']);
  stack.defer(() => setDefaultCACertificates(trusted));
  proxy = stack.use(await startConnectProxy((server.address() as AddressInfo).port));
});
afterEach(() => stack.disposeAsync());

function provider(origin: string): RoutedProvider {
  return {
    id: 'acme',
    kind: 'openai-compatible',
    origin,
    pathPrefix: '',
    protocol: openAiCompatible,
    credentials: [],
    headers: {},
    timeouts: { connectMs: 2_000, firstByteMs: 1, firstBytePlainMs: undefined, idleMs: 1, totalMs: 1 },
  };
}

function egress(): EgressProxy {
  const httpsProxy = new URL(`http://127.0.0.1:${proxy.port}`);
  return new EgressProxy({ httpsProxy, httpProxy: undefined, isDirect: () => false });
}

async function get(origin: string): Promise<unknown> {
  const pools = new ProviderPools(egress());
  try {
    const { body } = await pools.get(provider(origin)).request({ method: 'GET', path: '/' });
    return await body.json();
  } finally {
    await pools.close();
  }
}

it('the tunnel carries TLS up to the provider, whose certificate is checked', async () => {
  expect(await get('https://provider.test')).toEqual({
    version: expect.stringMatching(/^(1\.1|2\.0)$/),
    authority: 'provider.test',
  });
  expect(proxy.tunnels).toEqual(['provider.test:443']);
  await expect(get('https://other.test')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

it('the credentials of a web identity of AWS are fetched through the tunnel', async () => {
  const token = join(folder, 'token');
  writeFileSync(token, 'identity');
  const environment = {
    AWS_ACCESS_KEY_ID: undefined,
    AWS_SECRET_ACCESS_KEY: undefined,
    AWS_PROFILE: undefined,
    AWS_CONFIG_FILE: '/nowhere/config',
    AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_WEB_IDENTITY_TOKEN_FILE: token,
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/gateway',
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL_STS: 'https://sts.provider.test',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  stack.defer(() => void vi.unstubAllEnvs());
  const { secret } = await awsCredentials('eu-central-1').fetch(() => undefined, egress());
  expect([secret, proxy.tunnels]).toEqual(['session', ['sts.provider.test:443']]);
});
