import { describe, expect, it } from 'vitest';
import type { Fault } from '../src/index.ts';
import { messagesClient, QUESTION } from './messages-client.ts';
import { namedEvents, readBody, readUntil } from './read-events.ts';
import { API_KEY, sendChat, testProvider } from './test-provider.ts';

const provider = await testProvider();
const client = messagesClient(provider);

const send = (simulate: Fault, stream = false, signal?: AbortSignal) =>
  client({ ...QUESTION, stream, simulate }, signal === undefined ? {} : { signal });
const textOf = async (simulate: Fault) => (await send(simulate, true)).text();
const typesOf = async (simulate: Fault) => namedEvents(await textOf(simulate)).map(({ type }) => type);

describe.each([false, true])('a fault instead of a message (stream: %s)', (stream) => {
  it.each<[number, string, string]>([
    [400, 'invalid_request_error', 'The request was refused by simulation.'],
    [413, 'request_too_large', 'Request exceeds the maximum size'],
    [
      429,
      'rate_limit_error',
      "This request would exceed your organization's rate limit. Please try again later.",
    ],
    [500, 'api_error', 'Internal server error'],
    [529, 'overloaded_error', 'Overloaded'],
  ])('is an error with the status %i, in the format of Anthropic', async (status, type, message) => {
    const response = await send({ status, retry_after: 17 }, stream);
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, '17']);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type, message },
      request_id: response.headers.get('request-id'),
    });
  });

  it('is a reset, silence or rubbish, as in Chat Completions', async () => {
    await expect(send({ reset: 'before_headers' }, stream)).rejects.toThrow();
    expect(await (await send({ rubbish: 'html' }, stream)).text()).toMatch(/^<!DOCTYPE html>/);
    const abort = new AbortController();
    const silent = send({ hang: 'before_headers' }, stream, abort.signal);
    const request = await provider.waitForRequest(({ bodyText }) => bodyText.includes('hang'));
    abort.abort();
    await expect(silent).rejects.toThrow();
    expect((await request.closed).reason).toBe('client_closed');
  });
});

describe('a fault in a stream of Messages', () => {
  it('ends, resets or hangs it after exactly the given number of events', async () => {
    expect(await typesOf({ truncate: { after_events: 4 } })).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
    ]);
    const reset = await readBody(await send({ reset: { after_events: 3 } }, true));
    expect([namedEvents(reset.text).length, reset.isWhole]).toEqual([3, false]);
    const reader = (await send({ hang: { after_events: 1 } }, true)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect((await provider.requests[2]?.closed)?.reason).toBe('client_closed');
  });

  it('is an error event after the first text, and no end', async () => {
    const events = namedEvents(await textOf({ sse: 'error_event' }));
    expect(events.at(-2)?.type).toBe('content_block_delta');
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
  });

  it('is an event that is no JSON, a second start, a second stop, or a missing stop', async () => {
    expect(await textOf({ rubbish: 'bad_chunk' })).toContain(
      'event: content_block_delta\ndata: {not json\n\n',
    );
    expect((await typesOf({ sse: 'start_twice' })).slice(0, 2)).toEqual(['message_start', 'message_start']);
    expect((await typesOf({ sse: 'no_done' })).at(-1)).toBe('message_delta');
    expect((await typesOf({ sse: 'done_twice' })).slice(-2)).toEqual(['message_stop', 'message_stop']);
    expect(await textOf({ sse: 'no_blank_line' })).toMatch(/"message_stop"\}\n$/);
    expect(await textOf({ sse: 'crlf' })).toMatch(/^event: message_start\r\ndata: /);
  });

  it('leaves only pings, until the client goes away', async () => {
    const abort = new AbortController();
    const response = await send({ sse: 'pings_only', token_delay_ms: 1 }, true, abort.signal);
    const text = await readUntil(response, abort, (read) => (read.match(/event: ping/g)?.length ?? 0) > 3);
    expect(text).not.toContain('content_block');
    expect((await provider.requests[0]?.closed)?.reason).toBe('client_closed');
  });

  it('makes usage missing, absurd, late, or higher at the end', async () => {
    expect(await textOf({ usage: 'missing' })).not.toContain('"usage"');
    expect(await textOf({ usage: 'absurd' })).toContain('"input_tokens":-1');
    const usagesOf = async (usage: Fault['usage']) => {
      const events = namedEvents(await textOf({ usage }));
      return [events[0]?.message, events.at(-2)];
    };
    expect(await usagesOf('on_last_chunk')).toMatchObject([
      { usage: { input_tokens: 0, output_tokens: 0 } },
      { usage: { input_tokens: 9, cache_creation: {} } },
    ]);
    expect(await usagesOf('raised_at_end')).toMatchObject([
      { usage: { input_tokens: 5 } },
      { usage: { input_tokens: 9 } },
    ]);
  });
});

it('an echoed credential is sent in one piece, whole and streamed', async () => {
  expect(await (await send({ echo_credential: true })).text()).toContain(API_KEY);
  const text = await textOf({ echo_credential: true });
  expect(namedEvents(text).filter((event) => JSON.stringify(event).includes(API_KEY))).toHaveLength(1);
});

it('the log has the headers and bytes of a request, and that its client has gone away', async () => {
  const abort = new AbortController();
  const response = await client(
    { ...QUESTION, stream: true, simulate: { token_delay_ms: 20, content: 'word '.repeat(500) } },
    {
      signal: abort.signal,
      headers: { 'anthropic-beta': 'a-2025-01-01,b-2025-01-01' },
      path: '/messages?beta=true',
    },
  );
  await response.body?.getReader().read();
  const request = await provider.waitForRequest(({ path }) => path === '/v1/messages?beta=true');
  expect(request.headers).toMatchObject({
    'x-api-key': API_KEY,
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'a-2025-01-01,b-2025-01-01',
  });
  expect(request.bodyBytes.equals(Buffer.from(request.bodyText))).toBe(true);
  abort.abort();
  expect((await request.closed).reason).toBe('client_closed');
});

it('scripted faults apply to requests of both APIs, one each', async () => {
  provider.script({ status: 529 }, { status: 503 });
  expect((await send({})).status).toBe(529);
  expect((await sendChat(provider, QUESTION)).status).toBe(503);
  expect((await send({})).status).toBe(200);
});
