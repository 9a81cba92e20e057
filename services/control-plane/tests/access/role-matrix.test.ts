import { callerMetadata, GrpcStatus, gatewayProto } from '@model-gateway/contracts';
import { ACCOUNT_ROLES, type AccountRole, hasRole } from '@model-gateway/shared/access';
import { until } from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type HolderRpc, RPC_ACCESS } from '../../src/access/rpc-access.ts';
import { at, INTERNAL_TOKEN, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { roleCases } from '../fixtures/role-cases.ts';
import { objectsOf, type StaffedAccount, signInWith, staffedAccount } from '../fixtures/roles-fixture.ts';

const control = useControlPlanes();
let own: StaffedAccount;
let foreign: StaffedAccount;
let stranger: string;

beforeAll(async () => {
  own = await staffedAccount(control);
  foreign = await staffedAccount(control);
  stranger = await signInWith(control);
});

interface Outcome {
  status: GrpcStatus;
  says: string;
}

/** Calls an RPC as a sign-in that acts in an account. */
function call(rpc: HolderRpc, request: object, signInId: string, accountId = own.id): Promise<Outcome> {
  const { path, requestSerialize, responseDeserialize } = gatewayProto.DashboardService.service[rpc];
  const metadata = callerMetadata(INTERNAL_TOKEN);
  const user = {
    accountId,
    signInId,
    email: 'person@example.com',
    clientIp: '192.0.2.7',
    requestId: 'req_1',
  };
  metadata.set('signed-in-user-bin', gatewayProto.SignedInUser.serialize(user));
  return new Promise((resolve) => {
    at(control.callers, 0).stubs.admin.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      (error) => resolve({ status: error?.code ?? GrpcStatus.OK, says: error?.details ?? '' }),
    );
  });
}

const RPCS = Object.keys(RPC_ACCESS.DashboardService) as HolderRpc[];
/** An allowed call does something, or is refused for another reason than who makes it. */
const ALLOWED = [GrpcStatus.OK, GrpcStatus.FAILED_PRECONDITION];

describe.each(RPCS)('%s', (rpc) => {
  const least = RPC_ACCESS.DashboardService[rpc].role;

  it.each(ACCOUNT_ROLES)('allows and refuses a sign-in with the role %s by the table', async (role) => {
    const test = roleCases(control, own)[rpc];
    if (test === null || least === undefined) return;
    const { isOwn = false, named, plain } = test;
    const signInId = own.signIns[role];
    const isAllowed = hasRole(role, least);
    const request = plain ?? (await named?.(own, role)) ?? {};
    const outcome = await call(rpc, request, signInId);
    if (!isAllowed) {
      expect(outcome.status).toBe(GrpcStatus.PERMISSION_DENIED);
      expect(outcome.says).toContain(`needs the role ${least} in the account`);
      return;
    }
    expect(ALLOWED, outcome.says).toContain(outcome.status);
    if (named !== undefined) {
      expect(await call(rpc, await named(foreign, 'owner'), signInId)).toMatchObject({
        status: GrpcStatus.NOT_FOUND,
      });
    }
    if (!isOwn) return;
    const others: AccountRole[] = ACCOUNT_ROLES.filter((maker) => maker !== role);
    for (const maker of others) {
      const seen = await call(rpc, (await named?.(own, maker)) ?? {}, signInId);
      if (role === 'developer') expect(seen.status).toBe(GrpcStatus.NOT_FOUND);
      else expect(ALLOWED, seen.says).toContain(seen.status);
    }
  });

  it('is NOT_FOUND for a sign-in without a role in the account, whatever its role is elsewhere', async () => {
    const test = roleCases(control, own)[rpc];
    if (test === null || least === undefined) return;
    const request = test.plain ?? (await test.named?.(own, 'owner')) ?? {};
    for (const signInId of [stranger, ...Object.values(foreign.signIns)]) {
      const outcome = await call(rpc, request, signInId);
      expect(outcome).toEqual({ status: GrpcStatus.NOT_FOUND, says: `there is no account ${own.id}` });
    }
  });
});

it('the calls that need no role are those before a sign-in, about invitations and about the installation', () => {
  const withoutRole = RPCS.filter((rpc) => RPC_ACCESS.DashboardService[rpc].role === undefined);
  expect(withoutRole).toEqual([
    'OpenAccounts',
    'RedeemPasswordReset',
    'CallManagementApi',
    'ReportSignIn',
    'FindOfferedMembership',
    'AcceptMembership',
  ]);
});

it('every role reads and changes nothing by naming another account in the request', async () => {
  const cases = roleCases(control, own);
  for (const rpc of RPCS) {
    for (const role of ACCOUNT_ROLES) {
      const named = await cases[rpc]?.named?.(own, role);
      if (named === undefined || !('accountId' in named)) continue;
      const request = { ...named, accountId: foreign.id };
      const { status } = await call(rpc, request, own.signIns[role]);
      expect([GrpcStatus.NOT_FOUND, GrpcStatus.PERMISSION_DENIED], rpc).toContain(status);
    }
  }
});

it('only auditors and operators of the installation read the events of all accounts', async () => {
  const request = { operation: 'listAuditEvents', requestJson: '{}' };
  const read = (signInId: string) => call('CallManagementApi', request, signInId);
  for (const role of ACCOUNT_ROLES) {
    const { says, status } = await read(own.signIns[role]);
    expect({ says, status }).toEqual({
      status: GrpcStatus.PERMISSION_DENIED,
      says: 'this needs the role auditor in the installation',
    });
  }
  for (const role of ['auditor', 'operator']) {
    const email = `${role}@example.com`;
    const [proven, unproven] = [
      await signInWith(control, email),
      await signInWith(control, `x-${email}`, false),
    ];
    for (const each of [email, `x-${email}`])
      await control.admin('members', 'grantRole', { email: each, role });
    expect((await read(proven)).status).toBe(GrpcStatus.OK);
    expect((await read(unproven)).status).toBe(GrpcStatus.PERMISSION_DENIED);
    await control.admin('members', 'revokeRole', { email, role });
    expect((await read(proven)).status).toBe(GrpcStatus.PERMISSION_DENIED);
  }
});

it('a suspended account is closed to every role, and a stopped member to all that it may see', async () => {
  const account = await staffedAccount(control);
  const list = (role: AccountRole) =>
    call('ListHolderKeys', { accountId: account.id }, account.signIns[role], account.id);
  await control.sql`UPDATE account_members SET stopped_at = now() WHERE id = ${account.memberIds.viewer}`;
  expect((await list('viewer')).status).toBe(GrpcStatus.NOT_FOUND);
  expect((await list('developer')).status).toBe(GrpcStatus.OK);
  await control.sql`UPDATE accounts SET suspended_at = now() WHERE id = ${account.id}`;
  for (const role of ['owner', 'admin', 'developer'] as const) {
    expect(await list(role)).toEqual({
      status: GrpcStatus.PERMISSION_DENIED,
      says: 'this account is suspended: ask the operator to resume it',
    });
  }
});

it('a denied call is in the audit log with the sign-in, the account and the method', async () => {
  const account = await staffedAccount(control);
  await call('CreateHolderTeam', { name: 'x' }, account.signIns.viewer, account.id);
  await call('ListHolderKeys', { accountId: account.id }, stranger, account.id);
  const denied = () =>
    control.sql`
      SELECT actor->>'id' AS actor, object_id AS method FROM audit_events
      WHERE account_id = ${account.id} AND action = 'call.denied' AND outcome = 'denied' ORDER BY at`;
  await until(async () => (await denied()).length === 2);
  expect(await denied()).toEqual([
    { actor: account.signIns.viewer, method: 'CreateHolderTeam' },
    { actor: stranger, method: 'ListHolderKeys' },
  ]);
});

it('a developer sees only the keys that it made, and their usage', async () => {
  const account = await staffedAccount(control);
  const make = objectsOf(control, account);
  const made = new Map<AccountRole, string>();
  for (const role of ACCOUNT_ROLES) made.set(role, await make.request(role));
  const user = (role: AccountRole) => ({
    accountId: account.id,
    signInId: account.signIns[role],
    email: '',
    clientIp: '192.0.2.7',
    requestId: 'req_1',
  });
  const client = at(control.callers, 0);
  const seenBy = async (role: AccountRole) => {
    const accountId = account.id;
    const now = Math.floor(Date.now() / 1_000);
    const period = { startTime: now - 3_600, endTime: now + 3_600 };
    const requests = { accountId, startMs: 0, endMs: Date.now() + 60_000, limit: 10 };
    const usage = { accountId, ...period, bucketWidth: 0, limit: 10 };
    const read = [5_000, 'dashboard'] as const;
    const [listed, used, byKey, { keys }, { keys: limited }] = await Promise.all([
      client.call(...read, 'listHolderRequests', requests, undefined, user(role)),
      client.call(...read, 'getHolderUsage', usage, undefined, user(role)),
      client.call(...read, 'getHolderUsage', { ...usage, groupBy: ['key'] }, undefined, user(role)),
      client.call(...read, 'listHolderKeys', { accountId }, undefined, user(role)),
      client.call(...read, 'getHolderLimits', { accountId }, undefined, user(role)),
    ]);
    return {
      requests: listed.requests.map(({ requestId }) => requestId).sort(),
      used: used.totals?.requests,
      groups: byKey.buckets.flatMap(({ groups }) => groups).length,
      keys: keys.length,
      limited: limited.length,
    };
  };
  expect(await seenBy('developer')).toEqual({
    ...{ requests: [made.get('developer')], used: '1', groups: 1, keys: 1, limited: 1 },
  });
  for (const role of ['viewer', 'admin', 'owner'] as const) {
    expect(await seenBy(role)).toEqual({
      ...{ requests: [...made.values()].sort(), used: '4', groups: 4, keys: 4, limited: 4 },
    });
  }
});
