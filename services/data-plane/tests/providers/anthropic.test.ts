import type { ServerResponse } from 'node:http';
import {
  chatBody,
  modelEntry,
  PROVIDER_CREDENTIAL,
  providerEntry,
  until,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { afterEach, expect, it } from 'vitest';
import { json, startScriptedProvider } from './scripted-provider.ts';

const provider = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => ({
  document: () => ({
    providers: [providerEntry('anthropic', provider.baseUrl, { kind: 'anthropic' })],
    models: [modelEntry('anthropic/claude', { anthropic: 'claude-sonnet-4-6' })],
  }),
}));
afterEach(() => {
  provider.received.length = 0;
});

const REQUEST =
  '{ "model":"anthropic/claude", "max_tokens":16, "messages":[{"role":"user","content":"hi"}], ';

function messages(rest: string, headers: Record<string, string> = {}, path = '/v1/messages') {
  return gateway.post(path, REQUEST + rest, { headers });
}

const MESSAGE =
  '{"type":"message", "id":"msg_1","role":"assistant","model":"claude-sonnet-4-6",' +
  '"content":[{"type":"text","text":"caf\\u00e9 1.0"}],"new_member":1.0,"stop_reason":"end_turn",' +
  '"usage":{"input_tokens":3,"cache_read_input_tokens":2,"output_tokens":5}}';

const EVENTS = [
  '{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}',
  '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
  '{"type": "ping"}',
  '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"h\\u00e9"},"later":1.0}',
  '{"type":"something_new","value":1.0}',
  '{"type":"content_block_stop","index":0}',
  '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}',
  '{"type":"message_stop"}',
];
const sse = (events: readonly string[]) => (res: ServerResponse) => {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.end(framed(events));
};
const framed = (events: readonly string[]) =>
  events.map((data) => `event: ${JSON.parse(data).type}\ndata: ${data}\n\n`).join('');
const dataOf = (text: string) => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data);

function lastLine(): Record<string, unknown> {
  return gateway.logLines('"route":"/v1/messages"').at(-1) ?? {};
}

it('a request of Messages passes byte for byte except for the model, with all headers of its API', async () => {
  provider.respond = json(200, MESSAGE);
  const rest = '"unknown": 1.0, "temperature":1e-1}';
  const answer = await messages(
    rest,
    { 'anthropic-version': '2024-01-01', 'anthropic-beta': 'new-beta-2030-01-01', cookie: 'a=b' },
    '/v1/messages?beta=true',
  );
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe(MESSAGE.replace('claude-sonnet-4-6', 'anthropic/claude'));
  expect(answer.headers.get('request-id')).toBe(answer.headers.get('x-request-id'));
  const [asked] = provider.received;
  expect(asked?.url).toBe('/v1/messages?beta=true');
  expect(asked?.body).toBe(REQUEST.replace('anthropic/claude', 'claude-sonnet-4-6') + rest);
  expect(asked?.headers).toMatchObject({
    'x-api-key': PROVIDER_CREDENTIAL,
    'anthropic-version': '2024-01-01',
    'anthropic-beta': 'new-beta-2030-01-01',
  });
  expect(asked?.headers).not.toHaveProperty('authorization');
  expect(asked?.headers).not.toHaveProperty('cookie');
  await until(() => lastLine().provider_request_id === 'req_theirs');
  expect(lastLine()).toMatchObject({ input_tokens: 5, cached_input_tokens: 2, output_tokens: 5 });
});

it('a caller of Chat Completions cannot set headers of Messages', async () => {
  provider.respond = json(200, MESSAGE);
  const answer = await gateway.post('chat/completions', chatBody({ model: 'anthropic/claude' }), {
    headers: { 'anthropic-version': '1999-01-01', 'anthropic-workspace-id': 'w' },
  });
  expect(answer.status).toBe(200);
  expect(provider.received[0]?.headers['anthropic-version']).toBe('2023-06-01');
  expect(provider.received[0]?.headers).not.toHaveProperty('anthropic-workspace-id');
});

it('the API version is sent when the caller names none', async () => {
  provider.respond = json(200, MESSAGE);
  await messages('"stream":false}');
  expect(provider.received[0]?.headers['anthropic-version']).toBe('2023-06-01');
});

it('a stream passes event for event except for the model, unknown events included', async () => {
  provider.respond = sse(EVENTS);
  const answer = await messages('"stream":true}');
  const text = await answer.text();
  const expected = EVENTS.map((data) => data.replace('claude-sonnet-4-6', 'anthropic/claude'));
  expect(dataOf(text)).toEqual(expected);
  expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual(
    EVENTS.map((data) => JSON.parse(data).type),
  );
  await until(() => lastLine().output_tokens === 7);
});

it.each([400, 413, 422, 429, 529])("the provider's error %i passes in its own words", async (status) => {
  const body = `{"type":"error","error":{"type":"x","message":"prompt is too long: 9 > 8 ${PROVIDER_CREDENTIAL}"}}`;
  provider.respond = json(status, body, { 'retry-after': '7' });
  const answer = await messages('"stream":true}');
  expect(answer.status).toBe(status);
  expect(await answer.text()).toBe(body.replace(PROVIDER_CREDENTIAL, '[redacted]'));
  if (status === 429 || status === 529) expect(answer.headers.get('retry-after')).toBe('7');
  await until(() => lastLine().status === status);
});

it.each([401, 403, 500, 503])("the provider's status %i becomes an error of the gateway", async (status) => {
  provider.respond = json(status, '{"type":"error","error":{"type":"x","message":"secret"}}');
  const answer = await messages('"stream":false}');
  const body = await answer.json();
  expect(answer.status).toBe(502);
  expect(body).toMatchObject({
    type: 'error',
    error: { type: 'api_error', code: 'upstream_error' },
    request_id: answer.headers.get('request-id'),
  });
  expect(JSON.stringify(body)).not.toContain('secret');
});

const [START = '', BLOCK = '', , DELTA = ''] = EVENTS;
const OVERLOADED = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';

it.each([
  ['the connection ends', [], /api_error/],
  ['an error event comes', [OVERLOADED], /overloaded_error/],
  ['a second message begins', EVENTS, /api_error/],
  ['an event is no JSON object', ['"text"'], /api_error/],
])('a stream ends in an error event, without message_stop, when %s', async (_name, events, words) => {
  const begun = Promise.withResolvers<void>();
  provider.respond = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(framed([START, BLOCK, DELTA]));
    void begun.promise.then(() => res.end(framed(events)));
  };
  const answer = await messages('"stream":true}');
  expect(answer.status).toBe(200);
  let text = '';
  const decoder = new TextDecoder();
  await expect(
    (async () => {
      for await (const chunk of answer.body ?? []) {
        text += decoder.decode(chunk);
        begun.resolve();
      }
    })(),
  ).rejects.toThrow();
  expect(text).toMatch(/\nevent: error\ndata: /);
  expect(dataOf(text).at(-1)).toMatch(words);
  expect(text).not.toContain('message_stop');
});

it('an error event before anything else becomes an ordinary error response', async () => {
  provider.respond = sse([OVERLOADED]);
  const answer = await messages('"stream":true}');
  expect(answer.status).toBe(529);
  expect(await answer.json()).toEqual(JSON.parse(OVERLOADED));
});

const ESCAPED = PROVIDER_CREDENTIAL.replace('c', '\\u0063');

it.each([
  [`Invalid Bearer token`, 'Invalid [redacted]'],
  [`the key ${ESCAPED} is wrong`, 'the key [redacted] is wrong'],
])('an error stays valid JSON when a secret is removed from it: %s', async (said, shown) => {
  const error = (message: string) =>
    `{"type":"error","error":{"type":"invalid_request_error","message":"${message}"},"request_id":"r"}`;
  provider.respond = json(400, error(said));
  expect(await (await messages('"stream":false}')).json()).toEqual(JSON.parse(error(shown)));
  provider.respond = sse([error(said)]);
  expect(await (await messages('"stream":true}')).json()).toEqual(JSON.parse(error(shown)));
});

it("an event shows the gateway's credential in no spelling", async () => {
  provider.respond = sse(EVENTS.map((data) => data.replace('h\\u00e9', ESCAPED)));
  const text = await (await messages('"stream":true}')).text();
  expect(text).toContain('"text":"[redacted]"');
  expect(text).not.toContain(ESCAPED);
});

it('an HTML page of a proxy in front of the provider does not pass as its error', async () => {
  provider.respond = (res) =>
    res.writeHead(413, { 'content-type': 'text/html' }).end('<html>too large</html>');
  const answer = await messages('"stream":false}');
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'request_too_large' } });
});

it.each([
  ['half of a surrogate pair', '{"type":"text","text":"\\ud83d"}'],
  ['a key that requests may not have', '{"type":"tool_use","id":"t","name":"n","input":{"__proto__":1}}'],
  [
    'deep nesting',
    `{"type":"tool_use","id":"t","name":"n","input":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`,
  ],
])('a response passes when the model wrote %s', async (_name, block) => {
  const answered = MESSAGE.replace(/"content":\[.*?\]/, () => `"content":[${block}]`);
  provider.respond = json(200, answered);
  const answer = await messages('"stream":false}');
  expect(answer.status).toBe(200);
  const shown = answered.replace('claude-sonnet-4-6', 'anthropic/claude');
  expect(JSON.stringify(await answer.json())).toBe(JSON.stringify(JSON.parse(shown)));
});

it('a request with max_tokens 0, which only warms the cache, passes', async () => {
  provider.respond = json(200, MESSAGE);
  const body = '{"model":"anthropic/claude","max_tokens":0,"messages":[{"role":"user","content":"hi"}]}';
  const response = await gateway.ask('messages', body);
  expect(response.status, response.body).toBe(200);
  expect(provider.received[0]?.body).toBe(body.replace('anthropic/claude', 'claude-sonnet-4-6'));
});
