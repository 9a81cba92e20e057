import { SCOPES } from '@model-gateway/shared/access';
import { describe, expect, it } from 'vitest';
import { RPC_ACCESS, type RpcAccess } from '../../src/access/rpc-access.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { errorBody, type ManagementRequest, manage, refusal } from '../fixtures/management-fixture.ts';

const control = useControlPlanes();
const api = manage(control);

const call = (name: string, body: unknown = {}, request?: ManagementRequest) =>
  api.post(`/admin/v1/rpc/${name}`, body, request);

const accesses = Object.entries(RPC_ACCESS).flatMap(([service, methods]) =>
  Object.entries<RpcAccess>(methods).map(([method, access]) => ({ name: `${service}/${method}`, ...access })),
);
const withScope = accesses.flatMap(({ name, scope }) => (scope === undefined ? [] : [{ name, scope }]));

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
    const { key } = await api.insertKey({
      scopes: SCOPES.filter((each) => each.split(':')[0] !== scope.split(':')[0]),
    });
    const answer = await call(name, {}, { key });
    expect(refusal(answer)).toMatchObject({ status: 403, code: 'permission_denied' });
    expect(errorBody.parse(answer.body).error.message).toContain(`"${scope}"`);
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

  it('calls no method that can concern others', async () => {
    const { key } = await api.insertKey({ accountId: 'acct_test' });
    for (const [name, body] of [
      ['AccountService/ListAccounts', {}],
      ['AccountService/RevokeKey', { keyId: 'key_test', dryRun: true }],
      ['AdminService/GetStatus', {}],
      ['PoolService/ListPools', { owner: { kind: 'team', id: 'team_1' } }],
      ['BillingService/ListReceipts', { account: 'acct_test' }],
    ] as const)
      expect({ name, ...refusal(await call(name, body, { key })) }).toMatchObject({ name, status: 403 });
  });
});
