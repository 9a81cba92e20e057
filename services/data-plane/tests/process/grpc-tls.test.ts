import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatBody, postJson, startGateway, TEST_SECRETS } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runWith } from '../../../../packages/cli/tests/gatewayctl-fixture.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grpc-tls-'));
  const openssl = (args: string) => execFileSync('openssl', args.split(' '), { cwd: folder, stdio: 'pipe' });
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';
  openssl(`req -x509 ${newKey} -days 2 -subj /CN=ca -keyout ca.key -out ca.pem`);
  openssl(
    `req ${newKey} -subj /CN=gateway -addext subjectAltName=IP:127.0.0.1 -keyout service.key -out service.csr`,
  );
  openssl(
    'x509 -req -in service.csr -CA ca.pem -CAkey ca.key -days 2 -copy_extensions copy -out service.pem',
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('GRPC_TLS_*', () => {
  it('the services talk over mutual TLS with all three settings', async () => {
    const pem = (name: string) => readFileSync(join(folder, name), 'utf8');
    const tls = { ca: pem('ca.pem'), cert: pem('service.pem'), key: pem('service.key') };
    await using gateway = await startGateway({ catalog: true, tls });
    const { rawKey } = await gateway.createKey();
    const response = await postJson(gateway.baseUrl, rawKey, 'chat/completions', chatBody());
    expect(response.status).toBe(200);
    expect((await fetch(`${gateway.baseUrl}/v1/models`)).status).toBe(200);

    const environment = {
      CONTROL_PLANE_ADDRESS: `127.0.0.1:${gateway.controlPlanes[0]?.grpcPort}`,
      ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN,
      GRPC_TLS_CA: tls.ca,
      GRPC_TLS_CERT: tls.cert,
      GRPC_TLS_KEY: tls.key,
    };
    const status = ['status', '--verbose'];
    expect(await runWith(environment, status)).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^gatewayctl: .*, installation [0-9a-f]{8}\n$/),
    });
    // A certificate alone is no proof: several installations may have certificates of one CA.
    const another = { ...environment, ADMIN_TOKEN: 'another-token-0123456789abcdefghijk' };
    expect(await runWith(another, status)).toMatchObject({
      code: 1,
      err: expect.stringContaining('has another admin token than you'),
    });
  });
});
