import { credentials, Metadata, makeGenericClientConstructor } from '@grpc/grpc-js';
import {
  type ControlPlaneClient,
  type ControlPlaneStubs,
  callerMetadata,
  GrpcStatus,
  gatewayProto,
  grpcStatus,
} from '@model-gateway/contracts';
import { SCOPES } from '@model-gateway/shared/access';
import { until } from '@model-gateway/test-kit';
import { service as healthDefinition } from 'grpc-health-check';
import { beforeAll, expect, it } from 'vitest';
import { accessOfPath, type Caller } from '../../src/access/rpc-access.ts';
import { ADMIN_TOKEN, at, INTERNAL_TOKEN, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { UNARY_METHODS } from '../fixtures/rpc-methods-fixture.ts';

const control = useControlPlanes();
let anybody: ControlPlaneClient;

beforeAll(async () => {
  anybody = at(control.admins, 0);
});

type Answer = (error: Error | null) => void;
interface Stream {
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'data' | 'end', listener: () => void): unknown;
  cancel(): void;
}

const nameOf = ({ path }: { path: string }) => path.replace('/gateway.v1.', '').replace('/', '.');
/** Without ProveServer, which anybody may call. */
const UNARY = new Map(UNARY_METHODS.map((method) => [nameOf(method), method]));
UNARY.delete('AdminService.ProveServer');
/** Messages that would change something; the others are empty. */
const MESSAGES: Record<string, object> = {
  'AccountService.CreateAccount': { email: 'intruder@example.com' },
  'AccountService.CreateKey': { account: 'acct_test', name: 'intruder' },
  'AccountService.ChangeAccount': { account: 'acct_test', timezone: 'Asia/Tokyo' },
  'AccountService.ResetPassword': { account: 'acct_test' },
  'PoolService.AddPool': { owner: { kind: 'account', id: 'acct_test' }, includedUsd: '1', resets: 'never' },
  'MemberService.AddMember': { account: 'acct_test', email: 'intruder@example.com', role: 'owner' },
  'MemberService.GrantRole': { email: 'intruder@example.com', role: 'operator' },
  'RulesService.SetRules': { owner: { kind: 'account', id: 'acct_test' }, rulesJson: '{"streams":1}' },
};
const STREAMS: Record<string, (stubs: ControlPlaneStubs, metadata: Metadata) => Stream> = {
  'KeyService.WatchKeys': ({ keys }, metadata) => {
    const stream = keys.watchKeys(metadata);
    stream.write({ hello: { instanceId: 'intruder', resumeRevision: 1, pepperFingerprint: 'x' } });
    return stream;
  },
  'BillingService.SettleUsage': ({ billing }, metadata) => {
    const stream = billing.settleUsage(metadata);
    stream.write({ batchId: 'intruder', records: [] });
    return stream;
  },
  'CatalogService.WatchCatalog': ({ catalog }, metadata) => catalog.watchCatalog({}, metadata),
};
/** Methods that a caller with a token may not call. */
const notFor = (...callers: readonly Caller[]) =>
  METHODS.filter(
    (method) =>
      !accessOfPath(`/gateway.v1.${method.replace('.', '/')}`)?.callers.some((each) =>
        callers.includes(each),
      ),
  );
const METHODS = [...UNARY.keys(), ...Object.keys(STREAMS)];

/** Returns OK for a stream that lets anything through. */
function statusOf(method: string, metadata: Metadata): Promise<GrpcStatus | undefined> {
  return new Promise((resolve) => {
    const answer: Answer = (error) => resolve(error === null ? GrpcStatus.OK : grpcStatus(error));
    const unary = UNARY.get(method);
    if (unary !== undefined) {
      const { path, requestSerialize, responseDeserialize } = unary;
      const message = MESSAGES[method] ?? {};
      anybody.stubs.admin.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        message,
        metadata,
        answer,
      );
    }
    const stream = STREAMS[method]?.(anybody.stubs, metadata);
    stream?.on('error', answer);
    stream?.once('end', () => answer(null));
    stream?.once('data', () => {
      answer(null);
      stream.cancel();
    });
  });
}

async function methodsThatRefuse(metadata: Metadata): Promise<string[]> {
  const statuses = await Promise.all(METHODS.map((method) => statusOf(method, metadata)));
  return METHODS.filter((_, index) => statuses[index] === GrpcStatus.UNAUTHENTICATED);
}

function metadataOf(authorization?: string): Metadata {
  const metadata = new Metadata();
  if (authorization !== undefined) metadata.set('authorization', authorization);
  return metadata;
}

it('every method, unary or stream, refuses a call unless its one token is right', async () => {
  const wrong = [
    metadataOf(),
    metadataOf('Bearer wrong-token-0123456789abcdefghijklmno'),
    metadataOf(ADMIN_TOKEN),
    metadataOf(`bearer ${ADMIN_TOKEN}`),
    metadataOf(`Bearer ${ADMIN_TOKEN}x`),
    metadataOf(`Bearer ${ADMIN_TOKEN.slice(0, -1)}`),
    metadataOf('Bearer '),
    metadataOf(`Bearer ${ADMIN_TOKEN}, Bearer ${INTERNAL_TOKEN}`),
  ];
  for (const metadata of wrong) expect(await methodsThatRefuse(metadata)).toEqual(METHODS);
  const accounts = await control.query('SELECT id FROM accounts');
  expect(accounts).toEqual([{ id: 'acct_test' }]);
  expect(await control.query('SELECT instance_id FROM key_watchers')).toEqual([]);
  expect(await control.query('SELECT account_id FROM password_resets')).toEqual([]);
  expect(await control.query('SELECT owner FROM rules')).toEqual([]);
  expect(await control.query('SELECT email FROM account_members')).toEqual([]);
  expect(await control.query('SELECT email FROM installation_roles')).toEqual([]);
});

it('the internal token is refused on all methods for operators, also with a user', async () => {
  const ofUser = callerMetadata(INTERNAL_TOKEN);
  const user = { accountId: 'acct_test', signInId: 'user_1', email: '', clientIp: '', requestId: '' };
  ofUser.set('signed-in-user-bin', gatewayProto.SignedInUser.serialize(user));
  for (const metadata of [callerMetadata(INTERNAL_TOKEN), ofUser]) {
    const refused = await methodsThatRefuse(metadata);
    expect(refused).toEqual(notFor('dashboard', 'data-plane'));
    expect(refused).toContain('AccountService.CreateKey');
  }
});

it('an admin key and a SCIM token are refused on every method', async () => {
  const { rawKey: adminKey } = await control.admin('admin', 'createAdminKey', {
    name: 'all',
    scopes: [...SCOPES],
    networks: [],
  });
  const { token } = await control.admin('scim', 'createScimToken', { name: 'okta', account: '' });
  for (const each of [adminKey, token])
    expect(await methodsThatRefuse(callerMetadata(each))).toEqual(METHODS);
});

it('the admin token administers, and is refused on the methods of data planes and the dashboard', async () => {
  const refused = await methodsThatRefuse(callerMetadata(ADMIN_TOKEN));
  expect(refused).toEqual(notFor('operator'));
  expect(refused).toContain('DashboardService.CreateHolderKey');
});

it('a refusal names neither token, and none reaches the log', async () => {
  await methodsThatRefuse(metadataOf(`Bearer ${ADMIN_TOKEN}x`));
  expect(control.logText()).not.toContain(ADMIN_TOKEN);
  expect(control.logText()).not.toContain(INTERNAL_TOKEN);
});

it('the health check answers SERVING to anybody', async () => {
  const Health = makeGenericClientConstructor(healthDefinition, 'grpc.health.v1.Health');
  const address = `127.0.0.1:${at(control.planes, 0).grpcPort}`;
  const client = new Health(address, credentials.createInsecure());
  try {
    const check = () =>
      new Promise<unknown>((resolve, reject) => {
        client.check?.({}, (error: Error | null, answer: unknown) => {
          if (error === null) resolve(answer);
          else reject(error);
        });
      });
    await until(async () => JSON.stringify(await check()) === '{"status":"SERVING"}');
  } finally {
    client.close();
  }
});
