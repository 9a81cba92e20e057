import { callerMetadata, GrpcStatus, gatewayProto } from '@model-gateway/contracts';
import { ACCOUNT_ROLES, SCOPES } from '@model-gateway/shared/access';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OWN_ROUTES } from '../../src/management/routes/own-routes.ts';
import { at, INTERNAL_TOKEN, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { type StaffedAccount, signInWith, staffedAccount } from '../fixtures/roles-fixture.ts';

const control = useControlPlanes();
let own: StaffedAccount;
const signIns: Record<string, string> = {};

beforeAll(async () => {
  own = await staffedAccount(control);
  for (const role of ['auditor', 'operator']) {
    signIns[role] = await signInWith(control, `${role}@example.com`);
    await control.admin('members', 'grantRole', { email: `${role}@example.com`, role });
  }
});

const answered = z.object({
  status: z.number(),
  bodyJson: z.string(),
  headers: z.record(z.string(), z.string()),
});

/** Calls an operation as a sign-in. @returns a gRPC status, or the response */
function call(
  signInId: string,
  operation: string,
  request: object,
  conditions: object = { mayChange: true },
) {
  const { path, requestSerialize } = gatewayProto.DashboardService.service.CallManagementApi;
  const { responseDeserialize } = gatewayProto.DashboardService.service.CallManagementApi;
  const metadata = callerMetadata(INTERNAL_TOKEN);
  const user = {
    accountId: own.id,
    signInId,
    email: 'person@example.com',
    clientIp: '192.0.2.7',
    requestId: 'req_1',
  };
  metadata.set('signed-in-user-bin', gatewayProto.SignedInUser.serialize(user));
  const message = { operation, requestJson: JSON.stringify(request), ...conditions };
  return new Promise<{
    grpc: number;
    status: number;
    body: Record<string, unknown>;
    headers: Record<string, string>;
  }>((resolve) => {
    at(control.callers, 0).stubs.admin.makeUnaryRequest(
      ...([path, requestSerialize, responseDeserialize, message, metadata] as const),
      (error, response) => {
        const { bodyJson, headers, status } = answered
          .catch({ status: 0, bodyJson: '{}', headers: {} })
          .parse(response);
        resolve({ grpc: error?.code ?? GrpcStatus.OK, status, body: JSON.parse(bodyJson), headers });
      },
    );
  });
}

/** Returns path parameters that name no object. */
function nothing(path: string): { path: Record<string, string> } {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return { path: Object.fromEntries(names.map((name) => [name, 'x'])) };
}

describe.each(OWN_ROUTES)('$operationId', ({ method, operationId, path, scope }) => {
  it('is refused to users without a role in the installation', async () => {
    for (const role of ACCOUNT_ROLES)
      expect(await call(own.signIns[role], operationId, nothing(path))).toMatchObject({
        grpc: GrpcStatus.PERMISSION_DENIED,
      });
  });

  it('is allowed to operators, and to auditors if it reads', async () => {
    const isReading = scope === undefined || scope.endsWith(':read');
    const asOperator = await call(signIns.operator ?? '', operationId, nothing(path));
    expect(asOperator.grpc).toBe(GrpcStatus.OK);
    expect(asOperator.status).not.toBe(403);
    expect(asOperator.status).toBeLessThan(500);
    const asAuditor = await call(signIns.auditor ?? '', operationId, nothing(path));
    expect(asAuditor.status === 403).toBe(!isReading);
  });

  it('is refused in a call that may only read, unless it reads', async () => {
    const { grpc } = await call(signIns.operator ?? '', operationId, nothing(path), { mayChange: false });
    expect(grpc).toBe(method === 'GET' ? GrpcStatus.OK : GrpcStatus.INVALID_ARGUMENT);
  });
});

it('an operator changes an object with its ETag, once per Idempotency-Key, and is named in the audit log', async () => {
  const operator = signIns.operator ?? '';
  const body = { account_id: own.id, name: 'of the console' };
  const conditions = { mayChange: true, idempotencyKey: 'once' };
  const first = await call(operator, 'createKey', { body }, conditions);
  const again = await call(operator, 'createKey', { body }, conditions);
  expect(first.status).toBe(201);
  expect(again.body).toEqual(first.body);
  expect(again.headers['idempotency-replayed']).toBe('true');
  const { id } = z.object({ id: z.string() }).parse(first.body);
  const { headers } = await call(operator, 'getKey', { path: { id } });
  const rename = (name: string) =>
    call(operator, 'changeKey', { path: { id }, body: { name } }, { mayChange: true, ifMatch: headers.etag });
  expect((await rename('first')).status).toBe(200);
  expect((await rename('second')).status).toBe(412);
  const events = await control.sql`
    SELECT actor->>'type' AS type, actor->>'id' AS id, way FROM audit_events WHERE object_id = ${id} ORDER BY at`;
  expect(events).toEqual([
    { type: 'user', id: operator, way: 'dashboard' },
    { type: 'user', id: operator, way: 'dashboard' },
  ]);
});

it('an admin key of an operator has at most the scopes of its role', async () => {
  const body = { name: 'all', scopes: SCOPES };
  expect((await call(signIns.operator ?? '', 'createAdminKey', { body })).status).toBe(201);
  expect((await call(signIns.auditor ?? '', 'createAdminKey', { body })).status).toBe(403);
});

it('an auditor sees only the beginning of the URL of a webhook, which may be a secret', async () => {
  const url = 'https://localhost:1/services/T0/B0/XXXX';
  const created = await call(signIns.operator ?? '', 'createWebhook', {
    body: { url, events: ['provider.down'] },
  });
  const { id } = z.object({ id: z.string() }).parse(created.body);
  for (const [role, shown] of [
    ['operator', url],
    ['auditor', 'https://localhost:1/services…'],
  ] as const) {
    const signIn = signIns[role] ?? '';
    expect((await call(signIn, 'getWebhook', { path: { id } })).body).toMatchObject({ url: shown });
    expect((await call(signIn, 'listWebhooks', {})).body).toMatchObject({ data: [{ id, url: shown }] });
  }
});

const WITH_PARAMETERS = OWN_ROUTES.filter(({ path }) => path.includes(':'));

it.each(WITH_PARAMETERS)('$operationId is refused without its parameters, and with others', async (route) => {
  const { path } = nothing(route.path);
  const [name = '', ...names] = Object.keys(path);
  const empty = { ...path, [name]: '' };
  const wrong = [undefined, {}, empty, { other: 'x' }, { ...path, other: 'x' }, { ...path, [name]: ['x'] }];
  for (const each of [...wrong, { ...path, [names.at(-1) ?? name]: '\0' }])
    expect(await call(signIns.operator ?? '', route.operationId, { path: each })).toMatchObject({
      grpc: GrpcStatus.OK,
      status: 400,
    });
});

it('an operation that ends an object changes nothing without its id', async () => {
  const operator = signIns.operator ?? '';
  const body = { name: 'kept', scopes: ['keys:read'] };
  const created = await call(operator, 'createAdminKey', { body });
  const { id } = z.object({ id: z.string() }).parse(created.body);
  expect(await call(operator, 'revokeAdminKey', {})).toMatchObject({ status: 400 });
  const { body: kept } = await call(operator, 'getAdminKey', { path: { id } });
  expect(kept).toMatchObject({ id, revoked_at: null });
});
