import { randomUUID } from 'node:crypto';
import { ControlPlaneClient } from '@model-gateway/contracts';
import { usageSummary } from '@model-gateway/shared';
import { chatBody, postJson, TEST_SECRETS, withGateway } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { signedInOwner } from '@model-gateway/test-kit/signed-in-owner';
import { afterAll, beforeAll, expect, it } from 'vitest';

const gateway = withGateway();
let dashboard: ControlPlaneClient;
let accountId: string;

beforeAll(async () => {
  dashboard = new ControlPlaneClient({
    addresses: gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`),
    token: TEST_SECRETS.INTERNAL_TOKEN,
    tls: {},
  });
  accountId = await gateway.createAccount();
});
afterAll(() => dashboard.close());

/** Adds a member with a key of its own. */
async function addMember(role: string) {
  const id = randomUUID();
  const signInId = `user_${id}`;
  await using sql = openSql(gateway.databaseUrl);
  await sql.run(
    `INSERT INTO account_members (id, account_id, email, role, source, sign_in_id) VALUES ($1, $2, $3, $4, 'operator', $5)`,
    ...[`mem_${id}`, accountId, `${id}@example.com`, role, signInId],
  );
  return await createKey({ ...(await signedInOwner(gateway.databaseUrl, accountId)), signInId });
}

async function createKey(user: Awaited<ReturnType<typeof signedInOwner>>) {
  const { key, rawKey } = await dashboard.callOnce(
    5_000,
    'dashboard',
    'createHolderKey',
    { name: 'k' },
    user,
  );
  return { keyId: key?.id ?? '', rawKey, memberId: `mem_${user.signInId.slice('user_'.length)}` };
}

async function setRole(memberId: string, role: string): Promise<void> {
  await using sql = openSql(gateway.databaseUrl);
  await sql.run('UPDATE account_members SET role = $1 WHERE id = $2', role, memberId);
}

function get(rawKey: string, path: string) {
  return fetch(gateway.baseUrl + path, { headers: { authorization: `Bearer ${rawKey}` } });
}

/** Serves a request of the key, and waits until it is settled. @returns its id */
async function complete(rawKey: string): Promise<string> {
  const body = chatBody({ model: 'sim/chat-pro', max_tokens: 5 });
  const headers = { 'x-gateway-tags': 'project=alpha' };
  const response = await postJson(gateway.baseUrl, rawKey, 'chat/completions', body, { headers });
  await response.text();
  expect(response.status).toBe(200);
  const requestId = response.headers.get('x-request-id') ?? '';
  expect((await get(rawKey, `/v1/usage/requests/${requestId}`)).status).toBe(200);
  return requestId;
}

/** Returns the number of requests in the totals and in the buckets of a summary. */
async function requestsIn(rawKey: string, query = ''): Promise<number[]> {
  const { data, totals } = usageSummary.parse(await (await get(rawKey, `/v1/usage${query}`)).json());
  const inBuckets = data.flatMap(({ results }) => results).reduce((sum, each) => sum + each.requests, 0);
  return [...new Set([totals.requests, inBuckets])];
}

const lately = Math.floor(Date.now() / 1_000) - 600;
const QUERIES = [
  ...['', '?group_by=model', '?group_by=key', '?group_by=tag:project', '?tags[project]=alpha'],
  `?bucket_width=1m&start_time=${lately}`,
];

it("a developer's key reads usage and receipts of the keys of that member, and no others", async () => {
  const [ada, bob, admin] = [
    await addMember('developer'),
    await addMember('developer'),
    await addMember('admin'),
  ];
  const owner = await createKey(await signedInOwner(gateway.databaseUrl, accountId));
  const own = await gateway.createKey(accountId);
  const requestIds = new Map<string, string>();
  for (const { rawKey } of [ada, bob, admin, owner, own]) requestIds.set(rawKey, await complete(rawKey));
  const receiptsOf = async (rawKey: string) =>
    await Promise.all(
      [...requestIds.values()].map(async (id) => (await get(rawKey, `/v1/usage/requests/${id}`)).status),
    );

  for (const query of QUERIES) {
    for (const { rawKey } of [ada, bob]) expect(await requestsIn(rawKey, query), query).toEqual([1]);
    for (const { rawKey } of [admin, owner, own]) expect(await requestsIn(rawKey, query), query).toEqual([5]);
  }
  expect(await receiptsOf(ada.rawKey)).toEqual([200, 404, 404, 404, 404]);
  expect(await receiptsOf(admin.rawKey)).toEqual([200, 200, 200, 200, 200]);
  const byKey = await (await get(ada.rawKey, '/v1/usage?group_by=key')).text();
  expect(byKey).toContain(ada.keyId);
  expect(byKey).not.toContain(bob.keyId);

  // A change of the role counts for the next call.
  await setRole(bob.memberId, 'viewer');
  expect(await requestsIn(bob.rawKey)).toEqual([5]);
  await setRole(admin.memberId, 'developer');
  expect(await requestsIn(admin.rawKey)).toEqual([1]);
});
