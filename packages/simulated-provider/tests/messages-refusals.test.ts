import { describe, expect, it } from 'vitest';
import { messagesClient, QUESTION, WEATHER_TOOL } from './messages-client.ts';
import { API_KEY, testProvider } from './test-provider.ts';

const provider = await testProvider();
const send = messagesClient(provider);

async function refusal(response: Response) {
  const requestId = response.headers.get('request-id');
  expect(requestId).toMatch(/^req_/);
  const body: unknown = await response.json();
  expect(body).toMatchObject({ type: 'error', request_id: requestId });
  return { status: response.status, body };
}

const error = (type: string, message: unknown) => ({ error: { type, message } });
const invalid = (message: string) => error('invalid_request_error', expect.stringContaining(message));
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const use = (id: string) => ({ type: 'tool_use', id, name: 'get_weather', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'Fine.' });
const text = (words: string) => ({ type: 'text', text: words });
const enabled = { type: 'enabled', budget_tokens: 1024 };
const tools = [WEATHER_TOOL];

it('a request without a valid key (x-api-key or bearer token) and version is refused', async () => {
  const bare = await refusal(await send(QUESTION, { headers: { 'x-api-key': undefined } }));
  expect(bare).toMatchObject({ status: 401, body: error('authentication_error', expect.any(String)) });
  expect((await send(QUESTION, { headers: { 'x-api-key': 'sk-other' } })).status).toBe(401);
  const bearer = { 'x-api-key': undefined, authorization: `Bearer ${API_KEY}` };
  expect((await send(QUESTION, { headers: bearer })).status).toBe(200);
  for (const version of [undefined, '2020-01-01']) {
    const refused = await refusal(await send(QUESTION, { headers: { 'anthropic-version': version } }));
    expect(refused).toMatchObject({ status: 400, body: invalid('anthropic-version: ') });
  }
  expect((await send(QUESTION, { headers: { 'anthropic-version': '2023-06-01' } })).status).toBe(200);
});

it('a model of another API and an unknown path are a 404', async () => {
  const other = await refusal(await send({ ...QUESTION, model: 'sim-chat-free' }));
  expect(other).toMatchObject({ status: 404, body: error('not_found_error', 'model: sim-chat-free') });
  const path = await refusal(await send(QUESTION, { path: '/nothing' }));
  expect(path).toMatchObject({ status: 404, body: error('not_found_error', 'Not Found') });
});

describe('a member of a request', () => {
  it.each([
    ['context_management', { edits: [] }, 'context-management-2025-06-27'],
    ['mcp_servers', [], 'mcp-client-2025-11-20'],
    ['container', 'container_1', 'skills-2025-10-02'],
    ['fallbacks', 'default', 'server-side-fallback-2026-07-01'],
    ['something_new', 1, 'something-new-2030-01-01'],
  ])('%s is refused without its beta header', async (name, value, beta) => {
    const body = { ...QUESTION, [name]: value };
    const others = { 'anthropic-beta': 'claude-code-20250219' };
    for (const headers of [{}, others]) {
      const { body: refused } = await refusal(await send(body, { headers }));
      expect(refused).toMatchObject(invalid(`${name}: Extra inputs are not permitted`));
    }
    const headers = { 'anthropic-beta': `claude-code-20250219,${beta}` };
    expect((await send(body, { headers })).status).toBe(200);
  });

  it('that token counting does not need is refused there', async () => {
    const { body } = await refusal(await send(QUESTION, { path: '/messages/count_tokens' }));
    expect(body).toMatchObject(error('invalid_request_error', 'max_tokens: Extra inputs are not permitted'));
  });

  it('thread is refused, so that clients send the whole conversation', async () => {
    const body = { ...QUESTION, thread: { type: 'create' } };
    const { body: unknown } = await refusal(await send(body));
    expect(unknown).toMatchObject(error('invalid_request_error', 'thread: Extra inputs are not permitted'));
    const headers = { 'anthropic-beta': 'message-threads-2026-08-12' };
    const { body: unsupported } = await refusal(await send(body, { headers }));
    expect(unsupported).toMatchObject({ error: { details: { error_code: 'thread_unsupported_request' } } });
  });

  it('of a later API version is accepted with that version', async () => {
    const body = { ...QUESTION, container: 'container_1' };
    expect((await send(body)).status).toBe(400);
    expect((await send(body, { headers: { 'anthropic-version': '2026-10-21' } })).status).toBe(200);
  });

  it('of the gateway is refused', async () => {
    const { body } = await refusal(await send({ ...QUESTION, notre: null }));
    expect(body).toMatchObject(error('invalid_request_error', 'notre: Extra inputs are not permitted'));
  });
});

it.each<[object, string]>([
  [{ max_tokens: undefined }, 'max_tokens: Field required'],
  [{ max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
  [{ temperature: 1.5 }, 'temperature: Input should be less than or equal to 1'],
  [{ messages: [] }, 'messages: at least one message is required'],
  [{ messages: [{ role: 'system', content: 'Hi' }] }, 'messages: Unexpected role "system"'],
  [{ messages: [{ role: 'tool', content: 'Hi' }] }, "messages.0.role: Input should be 'user' or 'assistant'"],
  [{ messages: [assistant('Hi')] }, 'messages: first message must use the "user" role'],
  [{ messages: [user('a'), user('b')] }, 'messages: roles must alternate'],
  [{ messages: [user('')] }, 'messages: text content blocks must be non-empty'],
  [{ messages: [user([text(' ')])] }, 'messages: text content blocks must contain non-whitespace text'],
  [{ messages: [user([])] }, 'messages.0: all messages must have non-empty content'],
  [
    { messages: [user([{ ...text('a'), extra: 1 }])] },
    'messages.0.content.0.text.extra: Extra inputs are not permitted',
  ],
  [{ messages: [{ ...user('a'), name: 'Jo' }] }, 'messages.0.name: Extra inputs are not permitted'],
  [
    { messages: [user([{ type: 'image', source: { type: 'url', url: 'http://example.com/a.png' } }])] },
    'messages.0.content.0.image.source.url: Only HTTPS URLs are supported.',
  ],
  [
    {
      messages: [
        user([{ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'AAAA' } }]),
      ],
    },
    "messages.0.content.0.image.source.media_type: Input should be 'image/jpeg'",
  ],
  [
    { messages: [user('a'), assistant('b ')] },
    'messages: final assistant content cannot end with trailing whitespace',
  ],
  [{ thinking: { type: 'enabled', budget_tokens: 1000 } }, 'thinking.budget_tokens: Input should be greater'],
  [{ thinking: enabled, max_tokens: 1024 }, '`max_tokens` must be greater than `thinking.budget_tokens`.'],
  [{ thinking: enabled, max_tokens: 2000, temperature: 0.5 }, '`temperature` may only be set to 1'],
  [
    { thinking: enabled, max_tokens: 2000, tools, tool_choice: { type: 'any' } },
    'Thinking may not be enabled when tool_choice forces tool use.',
  ],
  [{ tools: [...tools, ...tools] }, 'tools: Tool names must be unique.'],
  [
    { tools: [{ name: 'a b', input_schema: { type: 'object' } }] },
    'tools.0.custom.name: String should match pattern',
  ],
  [{ tools: [{ name: 'a' }] }, 'tools.0.custom.input_schema: Field required'],
  [{ tool_choice: { type: 'auto' } }, 'tool_choice: `tool_choice` may only be specified while providing'],
  [{ tools, tool_choice: { type: 'tool', name: 'x' } }, "tool_choice.tool: Tool 'x' not found"],
  [
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
  ],
])('%j is refused in the words of Anthropic', async (members, message) => {
  const refused = await refusal(await send({ ...QUESTION, ...members }));
  expect(refused).toMatchObject({ status: 400, body: invalid(message) });
});

describe('calls and results', () => {
  it.each<[string, object[], string]>([
    [
      'a call at the end',
      [user('a'), assistant([use('t1')])],
      'messages.1: `tool_use` ids were found without',
    ],
    [
      'a call without its result',
      [user('a'), assistant([use('t1'), use('t2')]), user([result('t1')])],
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2.',
    ],
    [
      'a result after a text',
      [user('a'), assistant([use('t1')]), user([text('b'), result('t1')])],
      'messages.1: `tool_use` ids were found without',
    ],
    [
      'a result without its call',
      [user('a'), assistant('b'), user([result('t1')])],
      'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1.',
    ],
    [
      'two results of one call',
      [user('a'), assistant([use('t1')]), user([result('t1'), result('t1')])],
      'messages.2.content.1: each tool_use must have a single result.',
    ],
    [
      'two calls with one id',
      [user('a'), assistant([use('t1'), use('t1')]), user([result('t1')])],
      'messages.1.content.1: `tool_use` ids must be unique',
    ],
    [
      'an id that was used before',
      [user('a'), assistant([use('t1')]), user([result('t1')]), assistant([use('t1')]), user([result('t1')])],
      'messages.3.content.0: `tool_use` ids must be unique',
    ],
  ])('%s is refused', async (_what, messages, message) => {
    const { body } = await refusal(await send({ messages, tools }));
    expect(body).toMatchObject(invalid(message));
  });

  it('a call without the thinking before it is refused if thinking is enabled', async () => {
    const messages = [user('a'), assistant([use('t1')]), user([result('t1')])];
    const body = { messages, tools, max_tokens: 2048 };
    expect((await send(body)).status).toBe(200);
    const { body: refused } = await refusal(await send({ ...body, thinking: enabled }));
    expect(refused).toMatchObject(invalid('messages.1.content.0.type: Expected `thinking`'));
  });
});

it('instructions between the messages need their beta header', async () => {
  const system = { role: 'system', content: 'Be brief.' };
  const messages = [user('a'), system, assistant([use('t1')]), system, user([result('t1')]), system];
  const { body } = await refusal(await send({ messages, tools }));
  expect(body).toMatchObject(invalid('messages: Unexpected role "system".'));
  const headers = { 'anthropic-beta': 'mid-conversation-tool-changes-2026-07-01' };
  const answered = await send({ messages, tools }, { headers });
  expect(await answered.json()).toMatchObject({ content: [{ text: expect.stringContaining('Fine.') }] });
  const twice = await send({ messages: [user('a'), system, user('b')] }, { headers });
  expect(twice.status).toBe(400);
});

it('consecutive messages of one role are accepted with the knob merge_roles', async () => {
  const messages = [user('a'), user('b'), assistant([use('t1')]), user([result('t1')]), user('c')];
  expect((await send({ messages, tools })).status).toBe(400);
  expect((await send({ messages, tools, simulate: { merge_roles: true } })).status).toBe(200);
});

it('five cache marks, and a mark of an hour after one of five minutes, are refused', async () => {
  const marked = (ttl: string) => ({ ...text('a'), cache_control: { type: 'ephemeral', ttl } });
  const five = await refusal(await send({ messages: [user(Array(5).fill(marked('5m')))] }));
  expect(five.body).toMatchObject(invalid('A maximum of 4 blocks with cache_control'));
  expect((await send({ messages: [user([marked('1h'), marked('5m')])] })).status).toBe(200);
  expect((await send({ messages: [user([marked('5m'), marked('1h')])] })).status).toBe(400);
});

it('blocks and tools of the provider itself are accepted as they are', async () => {
  const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 };
  const called = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } };
  const messages = [user('a'), assistant([called, text('b')]), user('c')];
  expect((await send({ messages, tools: [search] })).status).toBe(200);
});
