import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { run } from '../command.ts';
import type { Check } from '../report.ts';
import type { Stack } from '../stack.ts';

const SELF_SIGNED =
  'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost';

/** Checks deploy/compose.tls.yml with HTTP/1.1 and HTTP/2. */
export async function tls(stack: Stack, check: Check): Promise<void> {
  const ca = await enableTls(stack);
  const origin = stack.baseUrl.replace('http://127.0.0.1', 'https://localhost');
  const dashboard = stack.dashboardUrl.replace('http://', 'https://');
  const seen = [
    `HTTP/1.1 ${await overHttp1(`${origin}/v1/models`, ca)}`,
    `HTTP/2 ${await overHttp2(origin, '/v1/models', ca)}`,
    `dashboard ${await overHttp1(`${dashboard}/`, ca)}`,
  ].join(', ');
  check('TLS', seen === 'HTTP/1.1 200, HTTP/2 200, dashboard 200', seen);
}

/** Replaces the load balancer by one with TLS. @returns its self-signed certificate */
async function enableTls(stack: Stack): Promise<Buffer> {
  const [certificate, key] = [stack.path('certificate.pem'), stack.path('key.pem')];
  await run('openssl', [...SELF_SIGNED.split(' '), '-keyout', key, '-out', certificate]);
  // The load balancer runs as another user.
  for (const path of [certificate, key]) chmodSync(path, 0o644);
  stack.addSettings({ TLS_CERTIFICATE: certificate, TLS_KEY: key });
  const files = ['--file', 'docker-compose.yml', '--file', 'deploy/compose.tls.yml'];
  await stack.compose([...files, 'up', '--detach', '--wait', '--no-deps', 'load-balancer']);
  return readFileSync(certificate);
}

async function overHttp1(url: string, ca: Buffer): Promise<number | undefined> {
  const sent = request(url, { ca });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

async function overHttp2(origin: string, path: string, ca: Buffer): Promise<number | undefined> {
  const session = connect(origin, { ca });
  try {
    const stream = session.request({ ':path': path });
    const [headers] = await once(stream, 'response');
    return headers[':status'];
  } finally {
    session.destroy();
  }
}
