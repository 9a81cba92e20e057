import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { openAiCompatible } from '@model-gateway/dialects';
import { expect, it } from 'vitest';
import type { RoutedProvider } from '../../src/catalog/model-table.ts';
import { EgressProxy } from '../../src/egress/egress-proxy.ts';
import { openTunnel } from '../../src/egress/proxy-tunnel.ts';
import { ProviderPools } from '../../src/upstream/provider-pools.ts';

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

it.each([
  ['data at once', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\n\r\ngarbage')],
  [
    'data and a reset',
    (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nx', () => socket.resetAndDestroy()),
  ],
  ['an end', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')],
])('a proxy that opens a tunnel with %s is asked a few times at most', async (_, answer) => {
  let connections = 0;
  const proxy = createServer((socket) => {
    connections++;
    socket.on('error', () => undefined).once('data', () => answer(socket));
  });
  const httpProxy = new URL(`http://127.0.0.1:${await portOf(proxy)}`);
  const pools = new ProviderPools(
    new EgressProxy({ httpProxy, httpsProxy: undefined, isDirect: () => false }),
  );
  const provider: RoutedProvider = {
    id: 'acme',
    kind: 'openai-compatible',
    origin: 'http://provider.test',
    pathPrefix: '',
    protocol: openAiCompatible,
    credentials: [],
    headers: {},
    timeouts: { connectMs: 2_000, firstByteMs: 1, firstBytePlainMs: undefined, idleMs: 1, totalMs: 1 },
  };
  const request = { method: 'GET', path: '/', signal: AbortSignal.timeout(30_000) } as const;
  const failure = await pools
    .get(provider)
    .request(request)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(String(failure)).not.toMatch(/TimeoutError/);
  expect(connections).toBeLessThan(5);
  await pools.close();
  proxy.close();
});

it('the certificate of a proxy with TLS is checked for its own name', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const openssl =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost ' +
    '-addext subjectAltName=DNS:localhost -keyout key -out cert';
  execFileSync('openssl', openssl.split(' '), { cwd: folder, stdio: 'pipe' });
  const [key, cert] = ['key', 'cert'].map((name) => readFileSync(join(folder, name), 'utf8'));
  const trusted = getCACertificates();
  setDefaultCACertificates([...trusted, cert ?? '']);
  stack.defer(() => setDefaultCACertificates(trusted));
  const proxy = createSecureServer({ key, cert });
  stack.defer(() => void proxy.close());
  proxy.on('connect', (_, socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  const port = await portOf(proxy);
  const open = (host: string) =>
    openTunnel(new URL(`https://${host}:${port}`), { protocol: 'https:', hostname: 'provider.test' }, 2_000);
  (await open('localhost')).destroy();
  await expect(open('127.0.0.1')).rejects.toMatchObject({
    cause: { message: expect.stringContaining("does not match certificate's altnames") },
  });
});
