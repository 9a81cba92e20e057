import { randomBytes } from 'node:crypto';
import { Metadata } from '@grpc/grpc-js';
import { AdminProof, ControlPlaneClient, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  ADMIN_TOKEN,
  at,
  CALL_DEADLINE_MS,
  INTERNAL_TOKEN,
  useControlPlanes,
} from '../fixtures/control-planes-fixture.ts';

const MINUTE_MS = 60_000;
const EMPTY = Buffer.alloc(0);
const LIST_ACCOUNTS = '/gateway.v1.AccountService/ListAccounts';

const control = useControlPlanes();
/** Has no token of this installation. */
let anybody: ControlPlaneClient;

beforeAll(async () => {
  const addresses = [`127.0.0.1:${at(control.planes, 0).grpcPort}`];
  anybody = new ControlPlaneClient({ addresses, token: 'none', tls: {} });
});
afterAll(async () => {
  anybody.close();
});

const prove = (nonce: Buffer) => anybody.call(CALL_DEADLINE_MS, 'admin', 'proveServer', { nonce });

interface Sent {
  token?: string;
  path?: string;
  ageMs?: number;
  /** The request that the proof covers; the one that is sent is empty. */
  body?: Buffer;
  proof?: (made: Buffer) => Buffer;
}

/** @returns the status of listAccounts with a proof */
function listAccounts({
  token = ADMIN_TOKEN,
  path = LIST_ACCOUNTS,
  ageMs = 0,
  body = EMPTY,
  proof = (made) => made,
}: Sent) {
  const nonce = randomBytes(32);
  const made = new AdminProof(token).proveCaller(nonce, Date.now() - ageMs, { path, body });
  const parts = [nonce.toString('base64url'), made.timeMs, proof(made.proof).toString('base64url')];
  const metadata = new Metadata();
  metadata.set('authorization', `Proof ${parts.join('.')}`);
  return new Promise<GrpcStatus | undefined>((resolve) => {
    anybody.stubs.accounts.listAccounts({}, metadata, (error) =>
      resolve(error === null ? GrpcStatus.OK : grpcStatus(error)),
    );
  });
}

it('a control plane proves to anybody that it has ADMIN_TOKEN, for the given nonce, and names its database', async () => {
  const [{ epoch }] = (await control.query('SELECT epoch FROM installation')) as [{ epoch: string }];
  const nonces = [randomBytes(32), randomBytes(32)];
  const answers = await Promise.all(nonces.map(prove));
  const isProof = (token: string, answer: number, nonce: number) => {
    const { proof, timeMs, installation } = at(answers, answer);
    expect(installation).toBe(epoch);
    return new AdminProof(token).verifyServer(proof, at(nonces, nonce), {
      timeMs: Number(timeMs),
      installation,
    });
  };
  expect([isProof(ADMIN_TOKEN, 0, 0), isProof(ADMIN_TOKEN, 1, 1)]).toEqual([true, true]);
  expect([isProof(ADMIN_TOKEN, 0, 1), isProof(INTERNAL_TOKEN, 0, 0)]).toEqual([false, false]);
});

it.each([0, 31, 33, 100_000])('a nonce of %i bytes gets no proof', async (length) => {
  const failure = await prove(Buffer.alloc(length)).catch((error: unknown) => error);
  expect(grpcStatus(failure)).toBe(GrpcStatus.INVALID_ARGUMENT);
  expect(String(failure)).toContain('expected 32 random bytes');
});

it("a caller's proof allows only its call, within a minute", async () => {
  expect(await listAccounts({})).toBe(GrpcStatus.OK);
  expect(await listAccounts({ ageMs: MINUTE_MS / 2 })).toBe(GrpcStatus.OK);
  const refused: Sent[] = [
    { path: '/gateway.v1.AccountService/CreateAccount' },
    { body: Buffer.from([0x10, 0x01]) },
    { ageMs: MINUTE_MS + 1 },
    { ageMs: -2 * MINUTE_MS },
    { token: INTERNAL_TOKEN },
    { proof: (made: Buffer) => Buffer.from(made).fill(0, 16) },
    { proof: (made: Buffer) => made.subarray(1) },
  ];
  for (const sent of refused) {
    expect({ sent, status: await listAccounts(sent) }).toEqual({
      sent,
      status: GrpcStatus.UNAUTHENTICATED,
    });
  }
});

it("a server's proof is not accepted from a caller", async () => {
  const nonce = randomBytes(32);
  const { proof, timeMs } = await prove(nonce);
  const caller = new AdminProof(ADMIN_TOKEN).proveCaller(nonce, Number(timeMs), {
    path: LIST_ACCOUNTS,
    body: EMPTY,
  });
  expect(caller.proof.equals(proof)).toBe(false);
  expect(await listAccounts({ proof: () => proof })).toBe(GrpcStatus.UNAUTHENTICATED);
});

it('a proof lets an operator do exactly what the token does', async () => {
  const addresses = [`127.0.0.1:${at(control.planes, 0).grpcPort}`];
  const operator = new ControlPlaneClient({ addresses, token: ADMIN_TOKEN, tls: {}, proof: {} });
  try {
    const { accounts } = await operator.call(CALL_DEADLINE_MS, 'accounts', 'listAccounts', {});
    expect(accounts.map(({ id }) => id)).toEqual(['acct_test']);
    const failure = await operator
      .call(CALL_DEADLINE_MS, 'keys', 'resolveKey', { lookupHash: 'v2:x' })
      .catch((error: unknown) => error);
    expect(grpcStatus(failure)).toBe(GrpcStatus.UNAUTHENTICATED);
  } finally {
    operator.close();
  }
});
