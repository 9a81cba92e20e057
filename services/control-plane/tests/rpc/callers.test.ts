import { credentials, Metadata, makeGenericClientConstructor, type ServiceDefinition } from '@grpc/grpc-js';
import {
  type ControlPlaneClient,
  type ControlPlaneStubs,
  callerMetadata,
  GrpcStatus,
  gatewayProto,
  grpcStatus,
} from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';
import { service as healthDefinition } from 'grpc-health-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  ADMIN_TOKEN,
  at,
  type ControlPlanes,
  INTERNAL_TOKEN,
  startControlPlanes,
} from '../fixtures/control-planes-fixture.ts';

let control: ControlPlanes;
let anybody: ControlPlaneClient;

beforeAll(async () => {
  control = await startControlPlanes();
  anybody = at(control.admins, 0);
});
afterAll(() => control[Symbol.asyncDispose]());

type Answer = (error: Error | null) => void;
interface Stream {
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'data' | 'end', listener: () => void): unknown;
  cancel(): void;
}

type UnaryCall = (stubs: ControlPlaneStubs, metadata: Metadata, answer: Answer) => unknown;

/** Returns a call of every method, with an empty message. */
function dashboardCalls(): Record<string, UnaryCall> {
  const methods: ServiceDefinition = gatewayProto.DashboardService.service;
  return Object.fromEntries(
    Object.entries(methods).map(([name, { path, requestSerialize, responseDeserialize }]) => [
      `DashboardService.${name}`,
      ({ dashboard }, metadata, answer) =>
        dashboard.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, metadata, answer),
    ]),
  );
}

const UNARY: Record<string, UnaryCall> = {
  ...dashboardCalls(),
  'KeyService.ResolveKey': ({ keys }, metadata, answer) =>
    keys.resolveKey({ lookupHash: 'v2:x' }, metadata, answer),
  'AccountService.CreateAccount': ({ accounts }, metadata, answer) =>
    accounts.createAccount({ email: 'intruder@example.com' }, metadata, answer),
  'AccountService.ListAccounts': ({ accounts }, metadata, answer) =>
    accounts.listAccounts({}, metadata, answer),
  'AccountService.CreateKey': ({ accounts }, metadata, answer) =>
    accounts.createKey({ account: 'acct_test', name: 'intruder' }, metadata, answer),
  'AccountService.ListKeys': ({ accounts }, metadata, answer) =>
    accounts.listKeys({ account: 'acct_test' }, metadata, answer),
  'AccountService.RevokeKey': ({ accounts }, metadata, answer) =>
    accounts.revokeKey({ keyId: 'key_x' }, metadata, answer),
  'AccountService.RenameKey': ({ accounts }, metadata, answer) =>
    accounts.renameKey({ keyId: 'key_x', name: 'intruder' }, metadata, answer),
  'AccountService.RotateKey': ({ accounts }, metadata, answer) =>
    accounts.rotateKey({ keyId: 'key_x' }, metadata, answer),
  'AccountService.ExpireKey': ({ accounts }, metadata, answer) =>
    accounts.expireKey({ keyId: 'key_x', now: true }, metadata, answer),
  'AccountService.SuspendAccount': ({ accounts }, metadata, answer) =>
    accounts.suspendAccount({ account: 'acct_nobody' }, metadata, answer),
  'AccountService.ResumeAccount': ({ accounts }, metadata, answer) =>
    accounts.resumeAccount({ account: 'acct_nobody' }, metadata, answer),
  'AccountService.DeleteAccount': ({ accounts }, metadata, answer) =>
    accounts.deleteAccount({ account: 'acct_nobody' }, metadata, answer),
  'AccountService.ResetPassword': ({ accounts }, metadata, answer) =>
    accounts.resetPassword({ account: 'acct_test' }, metadata, answer),
  'AccountService.GetLimits': ({ accounts }, metadata, answer) =>
    accounts.getLimits({ account: 'acct_test' }, metadata, answer),
  'AccountService.SetLimits': ({ accounts }, metadata, answer) =>
    accounts.setLimits({ account: 'acct_test', freePerMinute: { value: 1 } }, metadata, answer),
  'TeamService.CreateTeam': ({ teams }, metadata, answer) =>
    teams.createTeam({ account: 'acct_test', name: 'intruder' }, metadata, answer),
  'TeamService.ListTeams': ({ teams }, metadata, answer) =>
    teams.listTeams({ account: 'acct_test' }, metadata, answer),
  'TeamService.SetTeamLimit': ({ teams }, metadata, answer) =>
    teams.setTeamLimit({ teamId: 'team_x', requestsPerMinute: 1 }, metadata, answer),
  'TeamService.AddSeat': ({ teams }, metadata, answer) =>
    teams.addSeat({ teamId: 'team_x', account: 'acct_test' }, metadata, answer),
  'TeamService.ListSeats': ({ teams }, metadata, answer) =>
    teams.listSeats({ teamId: 'team_x' }, metadata, answer),
  'TeamService.RemoveSeat': ({ teams }, metadata, answer) =>
    teams.removeSeat({ seatId: 'seat_x' }, metadata, answer),
  'TeamService.MoveSeat': ({ teams }, metadata, answer) =>
    teams.moveSeat({ seatId: 'seat_x', account: 'acct_test' }, metadata, answer),
  'TeamService.DeleteTeam': ({ teams }, metadata, answer) =>
    teams.deleteTeam({ teamId: 'team_x' }, metadata, answer),
  'AdminService.GetStatus': ({ admin }, metadata, answer) => admin.getStatus({}, metadata, answer),
  'BillingService.AcquireAllowance': ({ billing }, metadata, answer) =>
    billing.acquireAllowance(
      {
        allowanceId: 'intruder',
        instanceId: 'intruder',
        payer: [{ kind: 'account', id: 'acct_test' }],
        spare: 1,
      },
      metadata,
      answer,
    ),
  'BillingService.AcquireAllowances': ({ billing }, metadata, answer) =>
    billing.acquireAllowances({ allowances: [] }, metadata, answer),
  'BillingService.ReturnAllowances': ({ billing }, metadata, answer) =>
    billing.returnAllowances({ allowances: [{ allowanceId: 'intruder' }] }, metadata, answer),
  'BillingService.ReturnAllowance': ({ billing }, metadata, answer) =>
    billing.returnAllowance({ allowanceId: 'intruder' }, metadata, answer),
  'BillingService.GetUsage': ({ billing }, metadata, answer) =>
    billing.getUsage(
      { owner: { accountId: 'acct_test' }, startTime: 0, endTime: 60, bucketWidth: 60, limit: 1 },
      metadata,
      answer,
    ),
  'BillingService.GetReceipt': ({ billing }, metadata, answer) =>
    billing.getReceipt({ requestId: 'req_x' }, metadata, answer),
  'BillingService.ListReceipts': ({ billing }, metadata, answer) =>
    billing.listReceipts({ account: 'acct_test', limit: 1 }, metadata, answer),
  'BillingService.GetTotalUsage': ({ billing }, metadata, answer) =>
    billing.getTotalUsage({ startTime: 0, endTime: 60, groupBy: 'account', limit: 1 }, metadata, answer),
  'PoolService.AddPool': ({ pools }, metadata, answer) =>
    pools.addPool(
      { owner: { kind: 'account', id: 'acct_test' }, includedUsd: '1', resets: 'never' },
      metadata,
      answer,
    ),
  'PoolService.ListPools': ({ pools }, metadata, answer) =>
    pools.listPools({ owner: { kind: 'account', id: 'acct_test' } }, metadata, answer),
  'PoolService.ChangePool': ({ pools }, metadata, answer) =>
    pools.changePool({ poolId: 'pool_x', includedUsd: '1' }, metadata, answer),
  'PoolService.RemovePool': ({ pools }, metadata, answer) =>
    pools.removePool({ poolId: 'pool_x' }, metadata, answer),
  'PoolService.VerifyLedger': ({ pools }, metadata, answer) => pools.verifyLedger({}, metadata, answer),
  'CatalogService.ReportProbes': ({ catalog }, metadata, answer) =>
    catalog.reportProbes({ instanceId: 'intruder', validMs: 1 }, metadata, answer),
  'CatalogService.ReportWaitingCalls': ({ catalog }, metadata, answer) =>
    catalog.reportWaitingCalls({ instanceId: 'intruder', validMs: 1 }, metadata, answer),
  'CatalogService.GetCatalog': ({ catalog }, metadata, answer) => catalog.getCatalog({}, metadata, answer),
  'CatalogService.ApplyCatalog': ({ catalog }, metadata, answer) =>
    catalog.applyCatalog({ documentJson: '{}' }, metadata, answer),
  'CatalogService.AddToCatalog': ({ catalog }, metadata, answer) =>
    catalog.addToCatalog({ documentJson: '{}' }, metadata, answer),
  'CatalogService.RemoveFromCatalog': ({ catalog }, metadata, answer) =>
    catalog.removeFromCatalog({ id: 'sim' }, metadata, answer),
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
const NOT_FOR_OPERATORS =
  /^(DashboardService\.|KeyService\.|BillingService\.(Acquire|Return|Settle)|CatalogService\.Report)/;
const METHODS = [...Object.keys(UNARY), ...Object.keys(STREAMS)];

/** Returns the status of a call. A stream that lets anything through counts as OK. */
function statusOf(method: string, metadata: Metadata): Promise<GrpcStatus | undefined> {
  return new Promise((resolve) => {
    const answer: Answer = (error) => resolve(error === null ? GrpcStatus.OK : grpcStatus(error));
    UNARY[method]?.(anybody.stubs, metadata, answer);
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
});

it('the internal token resolves and watches, and administers nothing', async () => {
  const refused = await methodsThatRefuse(callerMetadata(INTERNAL_TOKEN));
  expect(refused).toEqual(
    METHODS.filter((method) =>
      /^(Account|Admin|Pool|Team)Service\.|ApplyCatalog$|AddToCatalog$|RemoveFromCatalog$|ListReceipts$|GetTotalUsage$/.test(
        method,
      ),
    ),
  );
});

it('the admin token administers, and cannot pass for a data plane or the dashboard', async () => {
  const refused = await methodsThatRefuse(callerMetadata(ADMIN_TOKEN));
  expect(refused).toEqual(METHODS.filter((method) => NOT_FOR_OPERATORS.test(method)));
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
