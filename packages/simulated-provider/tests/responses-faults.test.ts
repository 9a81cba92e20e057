import { describe, expect, it } from 'vitest';
import type { Fault } from '../src/index.ts';
import { namedEvents, readBody, readUntil } from './read-events.ts';
import { QUESTION, responsesClient } from './responses-client.ts';
import { API_KEY, testProvider } from './test-provider.ts';

const provider = await testProvider();
const client = responsesClient(provider);

const send = (simulate: Fault, stream = false, signal?: AbortSignal) =>
  client({ ...QUESTION, stream, simulate }, signal === undefined ? {} : { signal });
const textOf = async (simulate: Fault) => (await send(simulate, true)).text();
const eventsOf = async (simulate: Fault) => namedEvents(await textOf(simulate));
const typesOf = async (simulate: Fault) => (await eventsOf(simulate)).map(({ type }) => type);
const bodyOf = async (simulate: Fault): Promise<unknown> => (await send(simulate)).json();

describe.each([false, true])('a fault instead of a response (stream: %s)', (stream) => {
  it('is an error with the given status, in the format of OpenAI', async () => {
    const refused = await send({ status: 429, retry_after: 17, message: 'Too fast.' }, stream);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '17']);
    expect(await refused.json()).toEqual({
      error: { message: 'Too fast.', type: 'requests', param: null, code: 'rate_limit_exceeded' },
    });
  });

  it('is a reset, silence or rubbish', async () => {
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

describe('a fault in a stream of Responses', () => {
  it('ends, resets or hangs it after exactly the given number of events', async () => {
    expect(await typesOf({ truncate: { after_events: 3 } })).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
    ]);
    const reset = await readBody(await send({ reset: { after_events: 3 } }, true));
    expect([namedEvents(reset.text).length, reset.isWhole]).toEqual([3, false]);
    const reader = (await send({ hang: { after_events: 1 } }, true)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect((await provider.requests[2]?.closed)?.reason).toBe('client_closed');
  });

  it('is an error event with the next number after the first token, and no end', async () => {
    const events = await eventsOf({ sse: 'error_event' });
    expect(events.at(-2)?.type).toBe('response.output_text.delta');
    expect(events.at(-1)).toEqual({
      type: 'error',
      sequence_number: events.length - 1,
      error: {
        type: 'server_error',
        code: null,
        message: 'The server had an error while processing your request.',
        param: null,
      },
    });
  });

  it('is an event that is no JSON, a second start, a second end, or a missing end', async () => {
    expect(await textOf({ rubbish: 'bad_chunk' })).toContain(
      'event: response.output_text.delta\ndata: {not json\n\n',
    );
    expect((await typesOf({ sse: 'start_twice' })).slice(0, 2)).toEqual([
      'response.created',
      'response.created',
    ]);
    expect((await typesOf({ sse: 'no_done' })).at(-1)).toBe('response.output_item.done');
    expect((await typesOf({ sse: 'done_twice' })).slice(-2)).toEqual([
      'response.completed',
      'response.completed',
    ]);
    expect(await textOf({ sse: 'no_blank_line' })).toMatch(/\}\n$/);
    expect(await textOf({ sse: 'crlf' })).toMatch(/^event: response\.created\r\ndata: /);
    expect(await textOf({})).not.toContain('[DONE]');
  });

  it('leaves only keep-alive events, until the client goes away', async () => {
    const abort = new AbortController();
    const response = await send({ sse: 'pings_only', token_delay_ms: 1 }, true, abort.signal);
    const text = await readUntil(
      response,
      abort,
      (read) => (read.match(/event: keepalive/g)?.length ?? 0) > 3,
    );
    expect(text).not.toContain('output_item');
    expect((await provider.requests[0]?.closed)?.reason).toBe('client_closed');
  });
});

describe('a knob', () => {
  it('makes usage missing, absurd or worded, and adds cached and reasoning tokens', async () => {
    expect(await bodyOf({ usage: 'missing' })).toMatchObject({ usage: null });
    expect((await eventsOf({ usage: 'missing' })).at(-1)).toMatchObject({ response: { usage: null } });
    expect(await bodyOf({ usage: 'absurd' })).toMatchObject({ usage: { input_tokens: -1 } });
    expect(await bodyOf({ usage: 'worded' })).toMatchObject({ usage: { input_tokens: 'about 13' } });
    expect(await bodyOf({ content: 'Hi.', cached_tokens: 4, reasoning_tokens: 5 })).toMatchObject({
      usage: {
        input_tokens: 13,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 20,
      },
    });
  });

  it('makes a response fail, refuse, or end early for any reason', async () => {
    const failed = { status: 'failed', error: { code: 'server_error', message: expect.any(String) } };
    expect(await bodyOf({ stop_reason: 'failed' })).toMatchObject(failed);
    const last = (await eventsOf({ stop_reason: 'failed' })).at(-1);
    expect(last).toMatchObject({ type: 'response.failed', response: failed });
    const refusal = { type: 'refusal', refusal: 'No.' };
    expect(await bodyOf({ stop_reason: 'refusal', content: 'No.' })).toMatchObject({
      status: 'completed',
      output: [{ content: [refusal] }],
    });
    const types = await typesOf({ stop_reason: 'refusal' });
    expect(types).toEqual(expect.arrayContaining(['response.refusal.delta', 'response.refusal.done']));
    expect(await bodyOf({ stop_reason: 'content_filter' })).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
    });
  });

  it('adds the given number of web searches', async () => {
    expect(await bodyOf({ web_searches: 2 })).toMatchObject({
      output: [{ type: 'web_search_call' }, { type: 'web_search_call' }, { type: 'message' }],
    });
  });

  it('echoes the credential in one piece, whole and streamed', async () => {
    expect(await (await send({ echo_credential: true })).text()).toContain(API_KEY);
    const deltas = (await eventsOf({ echo_credential: true })).filter(({ type }) => type.endsWith('.delta'));
    expect(deltas.filter((event) => JSON.stringify(event).includes(API_KEY))).toHaveLength(1);
  });
});

it('scripted faults also apply to the routes of stored responses', async () => {
  provider.script({ status: 503 });
  expect((await client(undefined, { path: '/resp_1' })).status).toBe(503);
  expect((await client(undefined, { path: '/resp_1' })).status).toBe(404);
});
