import { randomUUID } from 'node:crypto';
import { includesScope, SCOPES, SCOPES_OF_USERS, type Scope } from '@model-gateway/shared/access';
import { beforeAll, describe, expect, it } from 'vitest';
import { RPC_ACCESS, type RpcAccess } from '../../src/access/rpc-access.ts';
import { namedByBoundKey } from '../../src/management/rpc/account-of-request.ts';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { errorBody, type ManagementRequest, manage, refusal } from '../fixtures/management-fixture.ts';
import { objectsOf } from '../fixtures/roles-fixture.ts';
import { UNARY_METHODS } from '../fixtures/rpc-methods-fixture.ts';

const control = useControlPlanes();
const api = manage(control);

const call = (name: string, body: unknown = {}, request?: ManagementRequest) =>
  api.post(`/admin/v1/rpc/${name}`, body, request);

const accesses = Object.entries(RPC_ACCESS).flatMap(([service, methods]) =>
  Object.entries<RpcAccess>(methods).map(([method, access]) => ({ name: `${service}/${method}`, ...access })),
);
const withScope = accesses.flatMap(({ name, scope }) => (scope === undefined ? [] : [{ name, scope }]));

/** Raw keys with one scope each. */
let withOne: Promise<Map<Scope, string>>;

beforeAll(() => {
  withOne = Promise.all(
    SCOPES.map(async (each) => [each, (await api.insertKey({ scopes: [each] })).key] as const),
  ).then((keys) => new Map(keys));
});

describe('a method of the control plane over HTTP', () => {
  it('has the answer of gRPC, with defaults, and 64-bit integers as strings', async () => {
    const { body, status } = await call('AccountService/ListAccounts', { limit: 1, withLeft: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      accounts: [
        {
          id: expect.stringMatching(/^acct_/),
          createdAtMs: expect.stringMatching(/^\d{13}$/),
          unlimited: false,
          left: expect.stringMatching(/^\d+$/),
        },
      ],
    });
  });

  it('has the error of gRPC, with its status and its words', async () => {
    const answer = await call('AccountService/GetLimits', { account: 'nobody@example.com' });
    expect(refusal(answer)).toEqual({ status: 404, code: 'not_found', param: null });
    expect(answer.headers.get('grpc-status')).toBe('5');
    expect(errorBody.parse(answer.body).error.message).toBe('there is no account nobody@example.com');
  });

  it.each([
    [{ account: 'acct_test', budget: 1 }, 422, 'unknown_field', 'budget'],
    [
      { account: 'acct_test', freePerMinute: { value: 5, per: 'hour' } },
      422,
      'unknown_field',
      'freePerMinute.per',
    ],
    [{ account: 'acct_test', freePerMinute: { value: -1 } }, 400, 'invalid_request', 'freePerMinute.value'],
    [{ account: 'acct_test', freePerMinute: { value: 1.5 } }, 400, 'invalid_request', 'freePerMinute.value'],
    [{ account: ['acct_test'] }, 400, 'invalid_request', 'account'],
    [{ account: 'acct_test', freePerMinute: 5 }, 400, 'invalid_request', 'request body'],
    [[], 400, 'invalid_request', null],
  ])('does not change the meaning of %j', async (body, status, code, param) => {
    const answer = await call('AccountService/SetLimits', body);
    expect(refusal(answer)).toEqual({ status, code, param });
  });

  it('takes numbers, null and empty lists as gRPC does', async () => {
    const limits = { account: 'acct_test', freePerMinute: { value: '5' }, paidPerMinute: null };
    expect((await call('AccountService/SetLimits', limits)).status).toBe(200);
    expect((await call('AdminService/GetNames', { ids: [] })).body).toEqual({ names: {} });
  });

  it.each(withScope)('$name needs the scope $scope, and the error names it', async ({ name, scope }) => {
    const others = SCOPES.filter((each) => !includesScope([each], scope));
    const answers = await Promise.all(
      others.map(async (each) => await call(name, {}, { key: (await withOne).get(each) ?? null })),
    );
    for (const answer of answers) {
      expect(refusal(answer)).toMatchObject({ status: 403, code: 'permission_denied' });
      expect(errorBody.parse(answer.body).error.message).toContain(`"${scope}"`);
    }
  });

  it('exists only for methods of operators that are not streams', async () => {
    const others = accesses.filter(({ scope }) => scope === undefined).map(({ name }) => name);
    const names = [
      ...others,
      'CatalogService/WatchCatalog',
      'NoService/GetStatus',
      'AdminService/constructor',
    ];
    for (const name of names) {
      const answer = await call(name);
      expect({ name, ...refusal(answer) }).toMatchObject({ name, status: 404, code: 'not_found' });
      expect(answer.headers.get('grpc-status')).toBe('12');
    }
  });

  it('allows no more than the admin key does', async () => {
    const { key } = await api.insertKey({ scopes: ['accounts:write'] });
    const wanted = (scopes: string[]) =>
      call('AdminService/CreateAdminKey', { name: 'more', scopes }, { key });
    expect(refusal(await wanted(['accounts:read', 'fleet:read']))).toMatchObject({ status: 403 });
    expect((await wanted(['accounts:read'])).status).toBe(200);
  });

  it('grants a role in the installation only with an admin key that has every scope', async () => {
    const grant = async (scopes: readonly Scope[]) => {
      const { key } = await api.insertKey({ scopes });
      const email = 'auditor@example.com';
      return (await call('MemberService/GrantRole', { email, role: 'auditor' }, { key })).status;
    };
    expect(await grant(['accounts:write', 'audit:read'])).toBe(403);
    expect(await grant(SCOPES)).toBe(200);
  });

  it('needs an admin key', async () => {
    expect(refusal(await call('AdminService/GetStatus', {}, { key: null }))).toMatchObject({ status: 401 });
  });
});

describe('a key that is bound to an account', () => {
  it('calls methods for its account only, and cannot tell whether others exist', async () => {
    await control.sql`INSERT INTO accounts (id, email, name) VALUES ('acct_other', 'other@example.com', 'Other')`;
    const { key } = await api.insertKey({ accountId: 'acct_test' });
    const owned = (id: string) => ({ owner: { kind: 'account', id } });
    for (const [name, requestOf] of [
      ['AccountService/GetLimits', (account: string) => ({ account })],
      ['AccountService/ListKeys', (account: string) => ({ account })],
      ['PoolService/ListPools', owned],
      ['RulesService/GetRules', owned],
    ] as const) {
      expect(await call(name, requestOf('acct_test'), { key })).toMatchObject({ status: 200 });
      const [foreign, unknown] = [
        await call(name, requestOf('acct_other'), { key }),
        await call(name, requestOf('acct_nobody'), { key }),
      ];
      expect(refusal(foreign)).toMatchObject({ status: 404, code: 'not_found' });
      expect(refusal(unknown)).toEqual(refusal(foreign));
      const words = [foreign, unknown].map(({ body }) =>
        errorBody.parse(body).error.message.replace(/acct_\w+/, 'ID'),
      );
      expect(words[0]).toBe(words[1]);
      expect(foreign.headers.get('grpc-status')).toBe('5');
    }
  });

  const rpcs = withScope.filter(({ name }) => name !== 'CatalogService/WatchCatalog');

  it.each(rpcs)('$name concerns its account alone, or is refused', async ({ name }) => {
    const [own, foreign] = [
      await insertAccount(control, randomUUID()),
      await insertAccount(control, randomUUID()),
    ];
    const { key } = await api.insertKey({ accountId: own });
    const named = namedByBoundKey(name);
    const statusFor = async (accountId: string) =>
      (await call(name, await messageAbout(name, accountId), { key })).status;
    expect(await statusFor(foreign)).toBe(named === undefined ? 403 : 404);
    const status = await statusFor(own);
    // An incomplete message is refused for another reason.
    if (named === undefined) expect(status).toBe(403);
    else expect([200, 400]).toContain(status);
    const changes = control.sql`SELECT action FROM audit_events WHERE account_id = ${foreign} AND outcome = 'done'`;
    expect(await changes).toEqual([{ action: 'pool.created' }]);
  });

  it('makes no key on the seat of another account', async () => {
    const foreign = await insertAccount(control, randomUUID());
    const { key } = await api.insertKey({ accountId: 'acct_test' });
    const seatId = await objectsOf(control, { id: foreign }).seat();
    const answer = await call(
      'AccountService/CreateKey',
      { account: 'acct_test', name: 'x', seatId },
      { key },
    );
    expect(answer.status).toBe(400);
  });

  it('sets rules of its account itself only with a scope that users cannot give', async () => {
    const set = async (scopes: readonly Scope[], kind: string) => {
      const { key } = await api.insertKey({ accountId: 'acct_test', scopes });
      const message = { owner: { kind, id: 'acct_test' }, rulesJson: '{}' };
      return (await call('RulesService/SetRules', message, { key })).status;
    };
    expect(await set(SCOPES_OF_USERS, 'end_users')).toBe(200);
    expect(await set(SCOPES_OF_USERS, 'account')).toBe(403);
    expect(await set(['rules:write', 'accounts:write'], 'account')).toBe(200);
  });
});

/** Fills the fields of a method's message that name something, with new objects of an account. */
async function messageAbout(name: string, accountId: string): Promise<object> {
  const make = objectsOf(control, { id: accountId });
  const objects = {
    account: accountId,
    keyId: await make.key(),
    teamId: await make.team(),
    seatId: await make.seat(),
    poolId: await make.pool(),
    requestId: await make.request(),
    invitationId: await make.invitation('a@example.com'),
    member: await make.member(),
    id: await make.adminKey(),
    ids: [accountId],
    ...(!name.startsWith('BillingService/') && { owner: { kind: 'account', id: accountId } }),
  };
  const method = UNARY_METHODS.find(({ path }) => path === `/gateway.v1.${name}`);
  const fields = Object.keys(method?.requestDeserialize(method.requestSerialize({})) ?? {});
  return Object.fromEntries(Object.entries(objects).filter(([field]) => fields.includes(field)));
}
