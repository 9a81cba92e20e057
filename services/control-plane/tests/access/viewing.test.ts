import { callerMetadata, GrpcStatus, gatewayProto } from '@model-gateway/contracts';
import { ACCOUNT_ROLES } from '@model-gateway/shared/access';
import { beforeAll, describe, expect, it } from 'vitest';
import { type HolderRpc, RPC_ACCESS } from '../../src/access/rpc-access.ts';
import { at, INTERNAL_TOKEN, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { roleCases } from '../fixtures/role-cases.ts';
import { type StaffedAccount, signInWith, staffedAccount } from '../fixtures/roles-fixture.ts';

const control = useControlPlanes();
let viewed: StaffedAccount;
let other: StaffedAccount;
const signIns: Record<string, string> = {};

beforeAll(async () => {
  viewed = await staffedAccount(control);
  other = await staffedAccount(control);
  for (const role of ['auditor', 'operator']) {
    signIns[role] = await signInWith(control, `${role}@example.com`);
    await control.admin('members', 'grantRole', { email: `${role}@example.com`, role });
  }
});

/** Calls an RPC as a sign-in that looks at an account. */
function view(rpc: HolderRpc, request: object, signInId = '', accountId = viewed.id) {
  const { path, requestSerialize, responseDeserialize } = gatewayProto.DashboardService.service[rpc];
  const metadata = callerMetadata(INTERNAL_TOKEN);
  const origin = { email: 'person@example.com', clientIp: '192.0.2.7', requestId: 'req_1' };
  const user = { accountId, signInId, viewing: true, ...origin };
  metadata.set('signed-in-user-bin', gatewayProto.SignedInUser.serialize(user));
  return new Promise<GrpcStatus>((resolve) => {
    at(control.callers, 0).stubs.admin.makeUnaryRequest(
      ...([path, requestSerialize, responseDeserialize, request, metadata] as const),
      (error) => resolve(error?.code ?? GrpcStatus.OK),
    );
  });
}

const RPCS = Object.keys(RPC_ACCESS.DashboardService) as HolderRpc[];
/** RPCs in the name of a signed-in user, which act in an account. */
const OF_ACCOUNT = RPCS.filter((rpc) => RPC_ACCESS.DashboardService[rpc].role !== undefined);
const READS = /^(Get|List)Holder/;

describe.each(OF_ACCOUNT)('%s of a viewed account', (rpc) => {
  const requestOf = async () => {
    const test = roleCases(control, viewed)[rpc];
    return test?.plain ?? (await test?.named?.(viewed, 'owner')) ?? {};
  };

  it('is served to operators and auditors if it reads, and refused if it changes something', async () => {
    for (const role of ['auditor', 'operator']) {
      const status = await view(rpc, await requestOf(), signIns[role]);
      expect(status).toBe(READS.test(rpc) ? GrpcStatus.OK : GrpcStatus.PERMISSION_DENIED);
    }
  });

  it('is NOT_FOUND for everybody without a role in the installation, also for its members', async () => {
    for (const { signIns: staff } of [viewed, other])
      for (const role of ACCOUNT_ROLES)
        expect(await view(rpc, await requestOf(), staff[role])).toBe(GrpcStatus.NOT_FOUND);
  });
});

it("calls about the user's own sign-in are refused while an account is viewed", async () => {
  for (const rpc of ['FindOfferedMembership', 'AcceptMembership'] as const)
    expect(await view(rpc, { token: 'x', memberId: 'x' }, signIns.operator)).toBe(
      GrpcStatus.PERMISSION_DENIED,
    );
});

it('the role is read with every call, and suspended accounts are shown, but no deleted ones', async () => {
  const list = (accountId: string) => view('ListHolderKeys', { accountId }, signIns.operator, accountId);
  expect(await view('ListHolderKeys', { accountId: other.id }, signIns.operator)).toBe(GrpcStatus.NOT_FOUND);
  await control.admin('accounts', 'suspendAccount', { account: other.id });
  expect(await list(other.id)).toBe(GrpcStatus.OK);
  await control.admin('accounts', 'deleteAccount', { account: other.id });
  expect(await list(other.id)).toBe(GrpcStatus.NOT_FOUND);
  await control.admin('members', 'revokeRole', { email: 'operator@example.com', role: 'operator' });
  expect(await list(viewed.id)).toBe(GrpcStatus.NOT_FOUND);
});
