import { randomBytes } from 'node:crypto';
import { AdminProof, ControlPlaneClient, GrpcStatus } from '@model-gateway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gatewayctl, runWith, startGatewayctl } from './gatewayctl-fixture.ts';
import { PROVE_SERVER, provenBy, type Stranger, startStranger } from './stranger.ts';

let gatewayctl: Gatewayctl;
let token: string;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  token = gatewayctl.environment.ADMIN_TOKEN;
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

/** Runs a command as if the stranger were the control plane. */
const callStranger = (stranger: Stranger, ...options: string[]) =>
  runWith({ CONTROL_PLANE_ADDRESS: `127.0.0.1:${stranger.port}`, ADMIN_TOKEN: token }, [
    'accounts',
    'create',
    '--email',
    'secret@example.com',
    ...options,
  ]);

/** Fails the test unless the stranger got only the request for a proof, without any secret. */
function expectNoSecretSent({ heard }: Stranger) {
  expect(heard.map(({ path }) => path)).toEqual([PROVE_SERVER]);
  for (const { authorization, text } of heard) {
    expect(authorization).toBeUndefined();
    for (const word of [token, Buffer.from(token).toString('base64'), 'secret@example.com']) {
      expect(text).not.toContain(word);
    }
  }
}

async function realProof(nonce: Buffer) {
  const addresses = [gatewayctl.environment.CONTROL_PLANE_ADDRESS];
  const client = new ControlPlaneClient({ addresses, token: 'none', tls: {} });
  try {
    const { proof, timeMs, installation } = await client.call(30_000, 'admin', 'proveServer', { nonce });
    return { proof, timeMs: Number(timeMs), installation };
  } finally {
    client.close();
  }
}

describe('a server that is not the control plane', () => {
  it.each([
    ['knows no gRPC', () => ({ httpStatus: 404 })],
    ['wants a password', () => ({ httpStatus: 401 })],
    ['has no such method', () => ({ status: GrpcStatus.UNIMPLEMENTED })],
    ['says that all is well', () => ({ status: GrpcStatus.OK })],
  ])('and %s is told nothing, and the operator what to do', async (_name, answer) => {
    await using stranger = await startStranger(answer);
    const { code, out, err } = await callStranger(stranger);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^gatewayctl: the server at 127\.0\.0\.1:\d+ does not prove .*--control-plane.*--trust-older-server.*\n$/,
    );
    expectNoSecretSent(stranger);
  });

  it('and proves that it has another token is told nothing, also by who trusts older ones', async () => {
    await using stranger = await startStranger((nonce) =>
      provenBy('another-token-0123456789abcdefghijk', nonce),
    );
    const { code, out, err } = await callStranger(stranger, '--trust-older-server');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^gatewayctl: the server at .* has another admin token .* set .*ADMIN_TOKEN.*\n$/);
    expectNoSecretSent(stranger);
  });

  it('and shows a proof that it was given once, or a part of another, is told nothing', async () => {
    const seen = await realProof(randomBytes(32));
    for (const forge of [
      () => seen,
      (nonce: Buffer) => ({ ...provenBy(token, nonce), timeMs: Date.now() + 3_600_000 }),
      (nonce: Buffer) => ({ ...provenBy(token, nonce), installation: 'another' }),
      (nonce: Buffer) => ({ ...provenBy(token, nonce), proof: Buffer.alloc(0) }),
      (nonce: Buffer) => ({
        ...seen,
        proof: new AdminProof(token).proveCaller(nonce, seen.timeMs, {
          path: seen.installation,
          body: Buffer.alloc(0),
        }).proof,
      }),
      () => ({ ...seen, timeMs: Number.MAX_SAFE_INTEGER + 1 }),
    ]) {
      await using stranger = await startStranger(forge);
      expect(await callStranger(stranger, '--json')).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(/^\{"error":\{"code":"unauthenticated","message":".*another admin token/),
      });
      expectNoSecretSent(stranger);
    }
  });

  it('and stands in a list of control planes is not passed over in silence', async () => {
    await using stranger = await startStranger(() => ({ status: GrpcStatus.UNIMPLEMENTED }));
    const real = gatewayctl.environment.CONTROL_PLANE_ADDRESS;
    const addresses = `127.0.0.1:9,127.0.0.1:${stranger.port},${real}`;
    const { code, err } = await runWith({ CONTROL_PLANE_ADDRESS: addresses, ADMIN_TOKEN: token }, ['status']);
    expect(code).toBe(1);
    expect(err).toContain(`the server at 127.0.0.1:${stranger.port} does not prove`);
    expectNoSecretSent(stranger);
  });
});

describe('the admin token', () => {
  it('is not sent even to a server that proved itself: the call carries a proof instead', async () => {
    await using known = await startStranger((nonce) => provenBy(token, nonce));
    await callStranger(known);
    expect(known.heard.map(({ path }) => path)).toEqual([
      PROVE_SERVER,
      '/gateway.v1.AccountService/CreateAccount',
    ]);
    for (const { text } of known.heard) expect(text).not.toContain(token);
    expect(known.heard[1]?.authorization).toMatch(/^Proof /);
  });

  it('is sent to a control plane of an older release when the operator says so', async () => {
    await using older = await startStranger(() => ({ status: GrpcStatus.UNIMPLEMENTED }));
    await callStranger(older, '--trust-older-server');
    expect(older.heard.map(({ path, authorization }) => ({ path, authorization }))).toEqual([
      { path: PROVE_SERVER, authorization: undefined },
      { path: '/gateway.v1.AccountService/CreateAccount', authorization: `Bearer ${token}` },
    ]);
  });
});

describe('which control plane answers', () => {
  const named = /^gatewayctl: 127\.0\.0\.1:\d+, installation [0-9a-f]{8}\n$/;

  it('is said once on a terminal, and elsewhere with --verbose, on standard error', async () => {
    const { environment } = gatewayctl;
    // This asks twice: whether there is a catalog, and what would change.
    const args = ['catalog', 'apply', '--if-none', '--dry-run', '-f', '-'];
    const catalog = 'providers: []\nmodels: []\n';
    expect((await runWith(environment, args, catalog, { errorIsTerminal: true })).err).toMatch(named);
    expect((await runWith(environment, ['status', '--verbose'])).err).toMatch(named);
    expect((await runWith(environment, ['status'])).err).toBe('');
  });

  it('is not in the output of --json, and is printed on standard error only with --verbose', async () => {
    const { environment } = gatewayctl;
    expect((await runWith(environment, ['status', '--json'], '', { errorIsTerminal: true })).err).toBe('');
    const { out, err } = await runWith(environment, ['status', '--json', '--verbose']);
    expect(err).toMatch(named);
    expect(JSON.parse(out)).toHaveProperty('version');
  });

  it('is said with its IP address when it was asked for by a name that may have several', async () => {
    const port = gatewayctl.environment.CONTROL_PLANE_ADDRESS.split(':')[1];
    const environment = { ...gatewayctl.environment, CONTROL_PLANE_ADDRESS: `localhost:${port}` };
    const { code, err } = await runWith(environment, ['status', '--verbose']);
    expect(code).toBe(0);
    expect(err).toMatch(/^gatewayctl: localhost:\d+ \(127\.0\.0\.1:\d+\), installation [0-9a-f]{8}\n$/);
  });

  it('is called older when it was trusted without a proof', async () => {
    await using older = await startStranger(() => ({ status: GrpcStatus.UNIMPLEMENTED }));
    const { err } = await callStranger(older, '--trust-older-server', '--verbose');
    expect(err).toMatch(/^gatewayctl: 127\.0\.0\.1:\d+, of an older release, trusted without a proof\n/);
  });
});
