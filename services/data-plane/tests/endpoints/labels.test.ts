import type { UsageReceipt } from '@model-gateway/shared';
import { withGateway } from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { bothApis } from './both-apis.ts';
import { MODEL_ROUTES, type ModelRoute, writeRequest } from './model-requests.ts';

const gateway = withGateway();

beforeAll(() => gateway.applyCatalog(bothApis(gateway.provider.baseUrl)));

const ROUTES: ModelRoute[] = [
  ...MODEL_ROUTES,
  { name: 'responses', path: 'responses', model: 'chat', fields: { input: 'hi' } },
];

type Labels = Pick<UsageReceipt, 'tags' | 'end_user' | 'session'>;

async function labelsOf(
  route: ModelRoute,
  members: object,
  headers: Record<string, string> = {},
): Promise<Labels> {
  const { bytes, contentType } = writeRequest(
    { ...route, fields: { ...route.fields, ...members } },
    `sim/${route.model}-free`,
  );
  const response = await gateway.post(route.path, new Uint8Array(bytes), {
    headers: { ...headers, 'content-type': contentType },
  });
  expect(response.status, await response.text()).toBe(200);
  const { tags, end_user, session } = await gateway.receiptOf(response);
  return { tags, end_user, session };
}

const [CHAT, MESSAGES] = ['chat', 'messages'].map((name) => ROUTES.find((route) => route.name === name)) as [
  ModelRoute,
  ModelRoute,
];

const userOf = ({ model }: ModelRoute, user: string) =>
  model === 'claude' ? { metadata: { user_id: user } } : { user };

describe.each(ROUTES)('$name', (route) => {
  it('has the labels of its headers, and its provider gets none', async () => {
    const headers = {
      'x-gateway-tags': 'project=alpha, env=prod',
      'x-gateway-end-user': 'jos\u00c3\u00a9',
      'x-session-id': 'session 1',
    };
    expect(await labelsOf(route, { ...userOf(route, 'other'), session_id: 'session 2' }, headers)).toEqual({
      tags: { project: 'alpha', env: 'prod' },
      end_user: 'josé',
      session: 'session 1',
    });
    for (const request of gateway.provider.requests) {
      expect(JSON.stringify(request.body)).not.toContain('session');
      expect(JSON.stringify(request.headers)).not.toMatch(/alpha|session|jos/);
    }
  });

  it('has the labels of its body, and no others', async () => {
    expect(await labelsOf(route, { ...userOf(route, 'someone'), session_id: 'session 2' })).toEqual({
      tags: {},
      end_user: 'someone',
      session: 'session 2',
    });
    expect(await labelsOf(route, {})).toEqual({ tags: {}, end_user: null, session: null });
  });
});

it.each([
  [{ user: 'a', safety_identifier: 'b' }, 'a'],
  [{ user: null, safety_identifier: 'b' }, 'b'],
  [{ user: '', safety_identifier: '' }, null],
])('the end user of a chat with %j is %s', async (members, endUser) => {
  expect((await labelsOf(CHAT, members)).end_user).toBe(endUser);
});

it.each([
  [
    'x-session-id',
    { 'x-session-id': '1', 'x-claude-code-session-id': '3' },
    { session_id: '2', prompt_cache_key: '4' },
  ],
  ['session_id', { 'x-claude-code-session-id': '3' }, { session_id: '2', prompt_cache_key: '4' }],
  ['x-claude-code-session-id', { 'x-claude-code-session-id': '3' }, { prompt_cache_key: '4' }],
  ['prompt_cache_key', {}, { prompt_cache_key: '4' }],
])('the session of a chat is that of %s', async (name, headers, members) => {
  const expected = { ...headers, ...members };
  expect((await labelsOf(CHAT, members, headers)).session).toBe(
    Object.entries(expected).find(([key]) => key === name)?.[1],
  );
});

const INSTALLATION = `user_${'ab'.repeat(32)}_account_`;
const SESSION = '123e4567-e89b-12d3-a456-426614174000';

it.each([
  [`${INSTALLATION}_session_${SESSION}`, INSTALLATION],
  [
    JSON.stringify({ device_id: 'ab'.repeat(32), account_uuid: SESSION, session_id: SESSION }),
    `${INSTALLATION}${SESSION}`,
  ],
  ['{"id":1}', '{"id":1}'],
])('the end user of a message with the user_id %s is %s', async (user_id, endUser) => {
  expect((await labelsOf(MESSAGES, { metadata: { user_id } })).end_user).toBe(endUser);
});

it.each([
  ['x-gateway-tags', { 'x-gateway-tags': 'project' }, {}],
  ['x-gateway-tags', { 'x-gateway-tags': 'Project=alpha' }, {}],
  ['x-gateway-tags', { 'x-gateway-tags': 'project=' }, {}],
  ['x-gateway-tags', { 'x-gateway-tags': `project=${'x'.repeat(129)}` }, {}],
  ['x-gateway-tags', { 'x-gateway-tags': `${'p'.repeat(65)}=alpha` }, {}],
  ['x-gateway-tags', { 'x-gateway-tags': 'project=alpha,project=beta' }, {}],
  [
    'x-gateway-tags',
    { 'x-gateway-tags': Array.from({ length: 11 }, (_, index) => `t${index}=x`).join() },
    {},
  ],
  ['x-gateway-end-user', { 'x-gateway-end-user': 'x'.repeat(129) }, {}],
  ['x-session-id', { 'x-session-id': 'x'.repeat(257) }, {}],
  ['user', {}, { user: 'x'.repeat(129) }],
  ['safety_identifier', {}, { safety_identifier: 'x'.repeat(129) }],
  ['session_id', {}, { session_id: 'x'.repeat(257) }],
  ['session_id', {}, { session_id: 1 }],
])('a chat with a %s that does not fit is refused', async (param, headers, members) => {
  const response = await gateway.chat(members, { headers });
  expect(response.status).toBe(400);
  expect(JSON.parse(response.body)).toMatchObject({ error: { code: 'invalid_request', param } });
  expect(gateway.provider.requests).toEqual([]);
});

it('labels may be as long as their limits, counted in characters', async () => {
  const tags = Array.from({ length: 10 }, (_, index) => `${index}`.padEnd(64, '_'));
  const headers = { 'x-gateway-tags': tags.map((name) => `${name}=${'x'.repeat(128)}`).join() };
  const members = { user: '🙂'.repeat(128), session_id: '🙂'.repeat(256) };
  expect(await labelsOf(CHAT, members, headers)).toEqual({
    tags: Object.fromEntries(tags.map((name) => [name, 'x'.repeat(128)])),
    end_user: members.user,
    session: members.session_id,
  });
});

it("a caller cannot change the key's own tags", async () => {
  const { id, rawKey } = await gateway.createKey();
  await gateway.books.query(`UPDATE api_keys SET tags = '{"project":"alpha","team":"a b"}' WHERE id = $1`, [
    id,
  ]);
  const tagsOf = async (headers: Record<string, string>) => {
    const response = await gateway.post(
      'chat/completions',
      { model: 'sim/chat-free', messages: [{ role: 'user', content: 'hi' }] },
      { key: rawKey, headers },
    );
    expect(response.status).toBe(200);
    await response.text();
    return (await gateway.recordOf(response)).tags;
  };
  expect(await tagsOf({})).toEqual({ project: 'alpha', team: 'a b' });
  expect(await tagsOf({ 'x-gateway-tags': 'project=beta,env=prod' })).toEqual({
    project: 'alpha',
    team: 'a b',
    env: 'prod',
  });
});
