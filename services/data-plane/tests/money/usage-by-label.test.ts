import { usageSummary } from '@model-gateway/shared';
import { postJson, withGateway } from '@model-gateway/test-kit';
import { beforeAll, expect, it } from 'vitest';

const gateway = withGateway({ ownPools: true });
const CHATS = [
  { 'x-gateway-tags': 'project=alpha,env=prod', 'x-session-id': 'a, b' },
  { 'x-gateway-tags': 'project=alpha,env=dev', 'x-gateway-end-user': 'anna' },
  { 'x-gateway-tags': 'project=beta', 'x-gateway-end-user': 'ben' },
  {},
];

let rawKey: string;

beforeAll(async () => {
  ({ rawKey } = await gateway.createKey());
  for (const headers of CHATS) {
    const body = { model: 'sim/chat-free', messages: [{ role: 'user', content: 'hi' }] };
    const response = await postJson(gateway.baseUrl, rawKey, 'chat/completions', body, { headers });
    await response.text();
    await gateway.recordOf(response);
  }
});

async function usage(query: string) {
  const response = await fetch(`${gateway.baseUrl}/v1/usage?${query}`, {
    headers: { authorization: `Bearer ${rawKey}` },
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return usageSummary.parse(JSON.parse(text));
}

/** Returns the requests of each group, without units. */
async function resultsOf(query: string) {
  const { data } = await usage(query);
  return data.flatMap(({ results }) =>
    results.map(({ end_user, model, requests, session, tag }) => ({
      end_user,
      model,
      requests,
      session,
      tag,
    })),
  );
}

const group = (members: object) => expect.objectContaining(members);

it.each(['1m', '1h', '1d'])(
  'usage by a tag in buckets of %s has its values, and null for requests without',
  async (width) => {
    const end = Math.floor(Date.now() / 60_000) * 60 + 60;
    const query = `group_by=tag:project&bucket_width=${width}&start_time=${end - 1_800}&end_time=${end}`;
    const sums = new Map<string | null | undefined, number>();
    for (const { requests, tag } of await resultsOf(query)) {
      sums.set(tag?.project, (sums.get(tag?.project) ?? 0) + requests);
    }
    expect(sums).toEqual(
      new Map([
        [null, 1],
        ['alpha', 2],
        ['beta', 1],
      ]),
    );
  },
);

it('usage is grouped by several labels and by model together', async () => {
  const both = await resultsOf('group_by=tag:project,tag:env,model');
  expect(both).toHaveLength(4);
  expect(both).toContainEqual(
    group({ tag: { project: 'alpha', env: 'dev' }, model: 'sim/chat-free', requests: 1 }),
  );
  expect(both).toContainEqual(group({ tag: { project: null, env: null } }));
  expect(await resultsOf('group_by=end_user')).toEqual([
    group({ end_user: null, requests: 2 }),
    group({ end_user: 'anna', requests: 1 }),
    group({ end_user: 'ben', requests: 1 }),
  ]);
  expect(await resultsOf('group_by=session')).toEqual([
    group({ session: null, requests: 3 }),
    group({ session: 'a, b', requests: 1 }),
  ]);
});

it.each([
  ['tags[project]=alpha', 2],
  ['tags%5Bproject%5D=alpha&tags[env]=prod', 1],
  ['tags[project]=alpha,beta', 3],
  ['end_users=anna,ben', 2],
  ['end_users=anna&tags[env]=dev', 1],
  ['sessions[]=a,%20b', 1],
  ['sessions=a,%20b', 0],
])('usage of %s counts %i requests, in totals and buckets', async (query, requests) => {
  const { data, totals } = await usage(query);
  expect(totals.requests).toBe(requests);
  expect(data.flatMap(({ results }) => results).reduce((sum, result) => sum + result.requests, 0)).toBe(
    requests,
  );
});
