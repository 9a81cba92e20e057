import { randomBytes } from 'node:crypto';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
} from '@grpc/grpc-js';
import {
  AdminProof,
  ControlPlaneClient,
  callerMetadata,
  GrpcStatus,
  gatewayProto,
  grpcStatus,
  keepRequestBytes,
} from '@model-gateway/contracts';
import { afterAll, beforeAll, expect } from 'vitest';
import { RPC_ACCESS, type RpcAccess } from '../../src/access/rpc-access.ts';
import type { Actor } from '../../src/actors/actor.ts';
import { checkCaller } from '../../src/rpc/check-caller.ts';
import { actorOf } from '../../src/rpc/derive-actor.ts';
import { OPERATOR, SYSTEM } from '../fixtures/actors-fixture.ts';
import { ADMIN_TOKEN, at, INTERNAL_TOKEN, it } from '../fixtures/control-planes-fixture.ts';
import { type Method, SERVICES, UNARY_METHODS } from '../fixtures/rpc-methods-fixture.ts';

const USER = {
  accountId: 'acct_ada',
  signInId: 'user_ada',
  email: 'ada@example.com',
  clientIp: '192.0.2.7',
  requestId: 'req_1',
};
const ADA: Actor = {
  ...{ type: 'user', way: 'dashboard', accountId: 'acct_ada', signInId: 'user_ada' },
  ...{ email: 'ada@example.com', ip: '192.0.2.7', requestId: 'req_1' },
};

const isOfDashboard = ({ path }: Method) => path.startsWith('/gateway.v1.DashboardService/');

/** Actor of an accepted call (undefined without one), or the status of the refusal. */
type Outcome = { actor: Actor | undefined } | { refused: GrpcStatus | undefined };

const server = new Server({
  interceptors: [
    checkCaller(
      {
        internalToken: INTERNAL_TOKEN,
        adminToken: ADMIN_TOKEN,
        adminProof: new AdminProof(ADMIN_TOKEN),
      },
      { note: () => undefined },
    ),
  ],
});
let actor: Actor | undefined;
let client: ControlPlaneClient;

beforeAll(async () => {
  const answer = (call: ServerUnaryCall<object, object>, callback: sendUnaryData<object>) => {
    actor = actorOf(call.metadata);
    callback(null, {});
  };
  for (const service of SERVICES) {
    const names = Object.keys(service).filter((name) =>
      UNARY_METHODS.some((method) => method === service[name]),
    );
    server.addService(keepRequestBytes(service), Object.fromEntries(names.map((name) => [name, answer])));
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  client = new ControlPlaneClient({ addresses: [`127.0.0.1:${port}`], token: 'none', tls: {} });
});
afterAll(() => {
  client.close();
  server.forceShutdown();
});

function outcomeOf(
  { path, requestSerialize, responseDeserialize }: Method,
  metadata: Metadata,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const { admin } = client.stubs;
    admin.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, metadata, (error) =>
      resolve(error === null ? { actor } : { refused: grpcStatus(error) }),
    );
  });
}

/** Outcomes of accepted calls, by path. */
async function outcomesOf(methods: readonly Method[], metadata: Metadata): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const method of methods) {
    const outcome = await outcomeOf(method, metadata);
    if ('actor' in outcome) outcomes.set(method.path, outcome);
  }
  return outcomes;
}

function naming(token: string, ...users: (typeof USER | object | Buffer)[]): Metadata {
  const metadata = callerMetadata(token);
  for (const user of users) {
    const bytes = Buffer.isBuffer(user) ? user : gatewayProto.SignedInUser.serialize(user);
    metadata.add('signed-in-user-bin', bytes);
  }
  return metadata;
}

it.each([
  ['with the admin token', naming(ADMIN_TOKEN)],
  ['with the admin token that names a user', naming(ADMIN_TOKEN, USER)],
])('a call %s is made by the operator', async (_, metadata) => {
  const outcomes = await outcomesOf(UNARY_METHODS, metadata);
  const { '/gateway.v1.AdminService/ProveServer': anybody, ...others } = Object.fromEntries(outcomes);
  expect(anybody).toEqual({ actor: undefined });
  expect(Object.keys(others)).toContain('/gateway.v1.AccountService/RevokeKey');
  expect(Object.keys(others).filter((path) => path.includes('Dashboard'))).toEqual([]);
  for (const outcome of Object.values(others)) expect(outcome).toEqual({ actor: OPERATOR });
});

it('a call with a proof in place of the admin token is made by the operator', async () => {
  const { RevokeKey } = gatewayProto.AccountService.service;
  const { nonce, timeMs, proof } = new AdminProof(ADMIN_TOKEN).proveCaller(randomBytes(32), Date.now(), {
    path: RevokeKey.path,
    body: Buffer.alloc(0),
  });
  const metadata = new Metadata();
  const parts = [nonce.toString('base64url'), timeMs, proof.toString('base64url')];
  metadata.set('authorization', `Proof ${parts.join('.')}`);
  expect(await outcomeOf(RevokeKey, metadata)).toEqual({ actor: OPERATOR });
});

it("a dashboard call is made by the user it names, with address and id of the user's HTTP request", async () => {
  const methods = UNARY_METHODS.filter(isOfDashboard);
  const outcomes = await outcomesOf(methods, naming(INTERNAL_TOKEN, USER));
  expect([...outcomes.keys()]).toEqual(methods.map(({ path }) => path));
  for (const outcome of outcomes.values()) expect(outcome).toEqual({ actor: ADA });
});

it('a dashboard call that names nobody is made by the system', async () => {
  const outcomes = await outcomesOf(UNARY_METHODS.filter(isOfDashboard), naming(INTERNAL_TOKEN));
  for (const outcome of outcomes.values()) expect(outcome).toEqual({ actor: SYSTEM });
});

it('a call of a data plane or the catalog service has no actor, even if it names a user', async () => {
  const others = UNARY_METHODS.filter((method) => !isOfDashboard(method));
  const outcomes = await outcomesOf(others, naming(INTERNAL_TOKEN, USER));
  expect([...outcomes.keys()]).toContain('/gateway.v1.KeyService/ResolveKey');
  expect([...outcomes.keys()]).not.toContain('/gateway.v1.AccountService/RevokeKey');
  for (const outcome of outcomes.values()) expect(outcome).toEqual({ actor: undefined });
});

it.each([
  ['two users', naming(INTERNAL_TOKEN, USER, { ...USER, accountId: 'acct_eve' })],
  ['a user without an account', naming(INTERNAL_TOKEN, { signInId: 'user_ada' })],
  ['a user without a sign-in', naming(INTERNAL_TOKEN, { accountId: 'acct_ada' })],
  ['something that is no user', naming(INTERNAL_TOKEN, Buffer.from([0xff, 0xff, 0xff]))],
])('a dashboard call that names %s is refused', async (_, metadata) => {
  const createTeam = gatewayProto.DashboardService.service.CreateHolderTeam;
  expect(await outcomeOf(createTeam, metadata)).toEqual({ refused: GrpcStatus.INVALID_ARGUMENT });
});

it('a call that needs a role is refused when it names no signed-in user', async ({ control }) => {
  const methods: ServiceDefinition = gatewayProto.DashboardService.service;
  const { admin } = at(control.callers, 0).stubs;
  for (const [name, { role }] of Object.entries<RpcAccess>(RPC_ACCESS.DashboardService)) {
    const method = methods[name];
    if (role === undefined || method === undefined) continue;
    const { path, requestSerialize, responseDeserialize } = method;
    const says = await new Promise((resolve) => {
      const metadata = naming(INTERNAL_TOKEN);
      admin.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, metadata, (error) =>
        resolve(error?.details),
      );
    });
    expect(says, name).toBe('only the actor user may make this call');
  }
});
