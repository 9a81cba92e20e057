import { once } from 'node:events';
import { connect } from 'node:net';
import { watchLag } from '@model-gateway/test-kit/watch-lag';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../src/index.ts';
import { collect, readBody, readUntil } from './read-events.ts';
import { testProvider } from './test-provider.ts';

const provider = await testProvider({});

const message = { role: 'user', content: 'Explain glaciers' };
const chat = (fault: Fault, stream = false) =>
  JSON.stringify({ model: 'sim-chat-free', messages: [message], stream, simulate: fault });

function send(fault: Fault, stream = false, signal?: AbortSignal): Promise<Response> {
  return fetch(`${provider.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-secret' },
    body: chat(fault, stream),
    redirect: 'manual',
    ...(signal === undefined ? {} : { signal }),
  });
}

function eventsIn(text: string): string[] {
  return text.split('\n\n').filter((event) => event.startsWith('data: '));
}

describe.each([false, true])('a fault instead of a response (stream: %s)', (stream) => {
  it('is an error with the given status, message, Retry-After and credential', async () => {
    const refused = await send(
      { status: 429, retry_after: 17, message: 'Too fast.', echo_credential: true },
      stream,
    );
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('17');
    expect(await refused.json()).toEqual({
      error: {
        message: 'Too fast. You used the key sk-secret.',
        type: 'requests',
        param: null,
        code: 'rate_limit_exceeded',
      },
    });
    const moved = await send({ status: 302 }, stream);
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/v1/redirected']);
  });

  it('is a reset before or after the headers', async () => {
    await expect(send({ reset: 'before_headers' }, stream)).rejects.toThrow();
    const begun = await send({ reset: 'after_headers' }, stream);
    expect(begun.status).toBe(200);
    expect(await readBody(begun)).toEqual({ text: '', isWhole: false });
    expect((await provider.requests[0]?.closed)?.reason).toBe('completed');
  });

  it.each<[Fault['rubbish'], RegExp, string]>([
    ['html', /^<!DOCTYPE html>/, 'text/html; charset=utf-8'],
    ['text', /^upstream connect error/, 'text/plain'],
    ['bad_json', /[^}]$/, 'application/json'],
    ['wrong_shape', /^\{"status":"ok"/, 'application/json'],
    ['empty', /^$/, stream ? 'text/event-stream; charset=utf-8' : 'application/json'],
  ])('is a 200 with rubbish: %s', async (rubbish, body, contentType) => {
    const response = await send({ rubbish }, stream);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(contentType);
    expect(await response.text()).toMatch(body);
  });

  it('is silence before or after the headers, until the client gives up', async () => {
    const abort = new AbortController();
    const silent = send({ hang: 'before_headers' }, stream, abort.signal);
    const first = await provider.waitForRequest();
    abort.abort();
    await expect(silent).rejects.toThrow();
    expect((await first.closed).reason).toBe('client_closed');

    const response = await send({ hang: 'after_headers' }, stream);
    expect(response.status).toBe(200);
    await response.body?.cancel();
    expect((await provider.requests[1]?.closed)?.reason).toBe('client_closed');
  });

  it('is a response with both Content-Length and Transfer-Encoding', async () => {
    await expect(send({ framing: 'cl_and_te' }, stream)).rejects.toThrow();
    const socket = connect(Number(new URL(provider.baseUrl).port), '127.0.0.1');
    const body = chat({ framing: 'cl_and_te' }, stream);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const text = Buffer.concat(await collect(socket)).toString();
    expect(text).toMatch(/Content-Length: \d+\r\nTransfer-Encoding: chunked\r\n/);
    expect(text).toMatch(/\r\n0\r\n\r\n$/);
  });

  it('adds headers that a proxy must not forward', async () => {
    const response = await send({ set_cookie: true }, stream);
    expect(response.headers.getSetCookie()).toHaveLength(2);
    for (const name of ['server', 'access-control-allow-origin', 'x-request-id', 'openai-organization']) {
      expect(response.headers.get(name)).not.toBeNull();
    }
    expect((await readBody(response)).isWhole).toBe(true);
  });
});

describe('a fault in the middle of a response', () => {
  it('leaves half a body, and a connection that is cut, reset or silent', async () => {
    for (const fault of [{ truncate: { after_events: 1 } }, { reset: { after_events: 1 } }]) {
      const response = await send(fault);
      const { text, isWhole } = await readBody(response);
      expect(isWhole).toBe(false);
      expect(text.length).toBe(Math.floor(Number(response.headers.get('content-length')) / 2));
    }
    const reader = (await send({ hang: { after_events: 1 } })).body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
    expect((await provider.requests[2]?.closed)?.reason).toBe('client_closed');
  });

  it('ends, resets or hangs a stream after exactly the given number of events', async () => {
    const ended = await readBody(await send({ truncate: { after_events: 3 } }, true));
    expect([eventsIn(ended.text).length, ended.isWhole]).toEqual([3, true]);
    const reset = await readBody(await send({ reset: { after_events: 3 } }, true));
    expect([eventsIn(reset.text).length, reset.isWhole]).toEqual([3, false]);

    const abort = new AbortController();
    const response = await send({ hang: { after_events: 2 } }, true, abort.signal);
    const text = await readUntil(response, abort, (read) => eventsIn(read).length === 2);
    expect(eventsIn(text)).toHaveLength(2);
    expect((await provider.requests[2]?.closed)?.reason).toBe('client_closed');
  });

  it('is a chunk that is no JSON, or an error event, after two events', async () => {
    const bad = await readBody(await send({ rubbish: 'bad_chunk' }, true));
    expect(eventsIn(bad.text)[2]).toBe('data: {not json');
    expect(bad.text).toContain('[DONE]');
    const failed = await readBody(await send({ sse: 'error_event' }, true));
    expect(eventsIn(failed.text)).toHaveLength(3);
    expect(failed.text).not.toContain('[DONE]');
    expect(await (await send({ rubbish: 'bad_chunk' })).text()).toBe('{not json');
  });

  it('is a huge line, sent only as fast as the client reads, and stopped when the client goes away', async () => {
    const response = await send({ sse: 'huge_line' }, true);
    const reader = response.body?.getReader();
    let bytes = 0;
    while (bytes < 1_000_000) bytes += (await reader?.read())?.value?.length ?? Infinity;
    await reader?.cancel();
    expect((await provider.requests[0]?.closed)?.reason).toBe('client_closed');
  });
});

describe('the knob usage', () => {
  it('omits the usage, makes it absurd, or puts it on the last chunk', async () => {
    expect(await (await send({ usage: 'missing' })).json()).not.toHaveProperty('usage');
    expect(await (await send({ usage: 'absurd' })).json()).toMatchObject({ usage: { prompt_tokens: -1 } });
    const { text } = await readBody(await send({ usage: 'on_last_chunk' }, true));
    const last: unknown = JSON.parse(eventsIn(text).at(-2)?.slice('data: '.length) ?? '');
    expect(last).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: { completion_tokens: expect.any(Number) },
    });
    expect(text.match(/"usage"/g)).toHaveLength(1);
  });
});

it('an echoed credential is sent in one piece, whole and streamed', async () => {
  expect(await (await send({ echo_credential: true })).text()).toContain('sk-secret');
  const { text } = await readBody(await send({ echo_credential: true }, true));
  expect(eventsIn(text)[1]).toContain('sk-secret');
});

describe('the log of requests', () => {
  it('has the time at which an aborted stream was closed', async () => {
    const abort = new AbortController();
    const response = await send({ token_delay_ms: 20, content: 'word '.repeat(500) }, true, abort.signal);
    const request = await provider.waitForRequest();
    await response.body?.getReader().read();
    using lag = watchLag();
    const abortedAtMs = performance.now();
    abort.abort();
    const { atMs, reason } = await request.closed;
    expect(reason).toBe('client_closed');
    expect(atMs - abortedAtMs).toBeLessThan(100 + lag.allowanceMs());
  });

  it('has requests that were aborted before their response', async () => {
    const abort = new AbortController();
    const answer = send({ delay_ms: 60_000 }, false, abort.signal);
    const request = await provider.waitForRequest(({ path }) => path === '/v1/chat/completions');
    abort.abort();
    await expect(answer).rejects.toThrow();
    expect((await request.closed).reason).toBe('client_closed');
  });

  it('has requests as they were sent, to the byte', async () => {
    await (await send({})).text();
    const [request] = provider.requests;
    expect(request?.bodyText).toBe(chat({}));
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-secret' },
      body: { model: 'sim-chat-free' },
    });
    expect((await request?.closed)?.reason).toBe('completed');
    provider.clear();
    expect(provider.requests).toEqual([]);
  });

  it('has uploads that broke off', async () => {
    const socket = connect(Number(new URL(provider.baseUrl).port), '127.0.0.1');
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"model":');
    await once(socket, 'connect');
    const arrived = provider.waitForRequest();
    socket.end();
    const request = await arrived;
    expect(request).toMatchObject({ bodyText: '{"model":', body: undefined });
    expect((await request.closed).reason).toBe('client_closed');
  });
});

it('a stream waits for a client that does not read, and ends when the client goes away', async () => {
  const body = chat({ content: 'many words '.repeat(300_000) }, true);
  const socket = connect(Number(new URL(provider.baseUrl).port), '127.0.0.1');
  socket.pause();
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const request = await provider.waitForRequest();
  socket.destroy();
  expect((await request.closed).reason).toBe('client_closed');
});

it('scripted faults apply to the next requests, one each, and override their own', async () => {
  provider.script({ status: 503 }, { status: 500 });
  expect((await send({ status: 400 })).status).toBe(503);
  expect((await send({})).status).toBe(500);
  expect((await send({})).status).toBe(200);
  provider.script({ status: 503 });
  provider.clear();
  expect((await send({})).status).toBe(200);
});
