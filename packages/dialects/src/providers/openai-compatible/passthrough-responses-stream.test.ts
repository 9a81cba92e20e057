import { GatewayError } from '@model-gateway/shared';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { verdictOf } from '../../failures/verdicts.ts';
import type { PassthroughEvent, ResponsesCaller } from '../../interfaces/chat-caller.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';
import { ResponsesPassthroughStream } from './passthrough-responses-stream.ts';

let passed: PassthroughEvent[];
let written: unknown[];
let counted: CountedUsage | undefined;
beforeEach(() => {
  passed = [];
  written = [];
  counted = undefined;
});

const CALLER: ResponsesCaller = {
  sealed: (providerId, responseId) => `sealed ${providerId} ${responseId}`,
  passEvent: (event, text) => {
    passed.push(event);
    if (text !== undefined) written.push(text);
    return `${event.type}\n`;
  },
  count: (usage) => {
    counted = usage;
  },
  reportTier: () => undefined,
  failure: () => '',
  restart: never,
  chunk: never,
  end: never,
  completion: never,
  passResponse: never,
  passLarge: never,
};

function never(): never {
  throw new Error('an event was translated');
}

const IDS = {
  modelId: 'acme/small',
  sealed: (id: string) => CALLER.sealed('acme', id),
  previous: { id: 'as sent', responseId: 'resp_0' },
};
const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  total_tokens: 18,
};

const event = (type: string, members: object = {}) => JSON.stringify({ type, ...members });
const whole = (type: string, members: object = {}) =>
  event(type, {
    response: { id: 'resp_1', model: 'theirs', previous_response_id: 'resp_0', output: [], ...members },
  });
const CREATED = whole('response.created');
const COMPLETED = whole('response.completed', { usage: USAGE });
const DELTA = event('response.output_text.delta', { output_index: 0, delta: 'hello' });
const added = (item: object, at = 0) => event('response.output_item.added', { output_index: at, item });
const done = (item: object, at = 0) => event('response.output_item.done', { output_index: at, item });

function translate(events: readonly string[]): { translator: ResponsesPassthroughStream; isDone: boolean } {
  const translator = new ResponsesPassthroughStream(CALLER, IDS);
  const isDone = events.map((data) => translator.translate(data).done).at(-1) ?? false;
  return { translator, isDone };
}

function failureOf(events: readonly string[]): {
  failure: GatewayError;
  translator: ResponsesPassthroughStream;
} {
  const translator = new ResponsesPassthroughStream(CALLER, IDS);
  try {
    for (const data of events) translator.translate(data);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { failure: thrown, translator };
    throw thrown;
  }
  throw new Error('it did not fail');
}

describe('events of a provider that speaks Responses', () => {
  it('events pass in order, with events of other types anywhere, under the ids of the caller', () => {
    const other = event('response.something.new', { x: 1 });
    expect(translate([CREATED, other, DELTA, event('keepalive'), COMPLETED]).isDone).toBe(true);
    expect(passed.map(({ type }) => type)).toHaveLength(5);
    expect(passed[1]?.data).toBe(other);
    expect(passed.at(-1)).toMatchObject({
      data: COMPLETED.replace('"resp_1"', '"sealed acme resp_1"')
        .replace('"theirs"', '"acme/small"')
        .replace('"resp_0"', '"as sent"'),
      response: { id: 'sealed acme resp_1', model: 'acme/small', previous_response_id: 'as sent' },
    });
  });

  it('events begin with the first that has a response, and pings before it are not passed on', () => {
    translate([event('keepalive'), whole('response.queued'), COMPLETED]);
    expect(passed.map(({ type }) => type)).toEqual(['response.queued', 'response.completed']);
  });

  it('an id that a provider changes within a stream passes as changed', () => {
    translate([CREATED, COMPLETED.replace('resp_1', 'resp_2')]);
    expect(passed.map(({ response }) => response?.id)).toEqual(['sealed acme resp_1', 'sealed acme resp_2']);
  });

  it('events that name the response themselves use the name that the caller knows', () => {
    const delta = { type: 'response.output_text.delta', id: 'resp_1', delta: '"resp_1"' };
    const named = {
      response_id: 'resp_1',
      previous_response_id: 'resp_0',
      model: 'theirs',
      item: { id: 'resp_1' },
    };
    translate([CREATED, JSON.stringify({ ...delta, ...named })]);
    expect(passed[1]?.data).toBe(
      JSON.stringify({
        ...delta,
        ...named,
        id: 'sealed acme resp_1',
        response_id: 'sealed acme resp_1',
        previous_response_id: 'as sent',
        model: 'acme/small',
      }),
    );
    const end = { ...JSON.parse(COMPLETED), response_id: 'resp_1', model: 'theirs' };
    translate([CREATED, JSON.stringify(end)]);
    expect(passed.at(-1)?.data).not.toMatch(/"resp_1"|theirs/);
    expect(passed.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { id: 'sealed acme resp_1' },
    });
  });

  it('the id of an item is left alone', () => {
    const item = event('response.output_text.delta', { id: 'msg_1', item_id: 'msg_1', delta: 'hello' });
    translate([CREATED, item]);
    expect(passed[1]?.data).toBe(item);
  });

  it.each(['incomplete', 'cancelled'])(
    'a response that is called complete ends by its own status: %s',
    (status) => {
      const { isDone } = translate([CREATED, whole('response.completed', { status, usage: USAGE })]);
      expect(isDone).toBe(true);
      expect(passed.at(-1)).toMatchObject({
        type: `response.${status}`,
        data: expect.stringContaining(`"type":"response.${status}"`),
      });
      expect(counted).toBeDefined();
    },
  );

  it('each event goes out in one line', () => {
    const pretty = JSON.stringify(JSON.parse(COMPLETED), undefined, 2);
    translate([CREATED, pretty]);
    expect(passed.at(-1)?.data).not.toContain('\n');
  });

  it('members of the same names that do not belong to the response are left alone', () => {
    const tools = [{ type: 'image_generation', model: 'theirs', id: 'resp_1' }];
    translate([whole('response.created', { tools, metadata: { model: 'theirs', id: 'resp_1' } })]);
    expect(passed[0]?.data).toContain(JSON.stringify(tools));
    expect(passed[0]?.data).toContain('{"model":"theirs","id":"resp_1"}');
  });

  it.each<[string, string[]]>([
    ['begins with its text', [DELTA]],
    ['begins with its end, without a response', [event('response.completed')]],
    ['begins twice', [CREATED, CREATED]],
    ['ends without a response', [CREATED, event('response.completed')]],
    ['has an event without a type', [CREATED, '{}']],
    ['has an event that is no JSON', [CREATED, 'x']],
    ['has an event that is no object', [CREATED, '[]']],
    ['has an event whose type would be several lines', [CREATED, '{"type":"a\\ndata: b"}']],
    ['has an event whose type would be several lines, by CR', [CREATED, '{"type":"a\\rdata: b"}']],
  ])('an answer is broken off by events that %s', (_name, events) => {
    expect(failureOf(events).failure).toMatchObject({ code: 'upstream_error' });
  });

  it('incomplete and cancelled responses end the events, too', () => {
    for (const type of ['response.incomplete', 'response.cancelled'])
      expect(translate([CREATED, whole(type)]).isDone).toBe(true);
  });

  it('events that just stop are a failure', () => {
    expect(translate([CREATED, DELTA]).translator.mayEnd).toBe(false);
  });
});

describe('a failure of a Responses provider', () => {
  const said = (code?: string) => ({ code, message: 'm' });
  const FAILED = whole('response.failed', { status: 'failed', error: said('server_error') });

  it('a failed response is a failure where it is called complete, too', () => {
    const called = whole('response.completed', { status: 'failed', error: said('server_error') });
    const { failure, translator } = failureOf([CREATED, DELTA, called]);
    expect(failure.code).toBe('upstream_error');
    expect(translator.rest).toBe('response.failed\n');
    expect(passed.at(-1)).toMatchObject({
      type: 'response.failed',
      data: expect.stringContaining('"type":"response.failed"'),
    });
    expect(failureOf([called]).failure.code).toBe('upstream_error');
  });

  it('the failure is the last event, and a failure of the answer', () => {
    const { failure, translator } = failureOf([CREATED, DELTA, FAILED]);
    expect(failure.code).toBe('upstream_error');
    expect(translator.rest).toBe('response.failed\n');
    expect(passed.at(-1)?.response).toMatchObject({ id: 'sealed acme resp_1' });
  });

  it('the failure passes after the event that announces it', () => {
    const announced = event('error', { error: said('rate_limit_exceeded') });
    const { failure, translator } = failureOf([CREATED, announced, FAILED]);
    expect(failure.code).toBe('upstream_rate_limited');
    expect(passed.map(({ type }) => type)).toEqual(['response.created', 'error', 'response.failed']);
    expect(translator.rest).toBe('response.failed\n');
  });

  it('the failure is known where nothing comes after the announcement', () => {
    const { translator } = translate([CREATED, event('error', said('rate_limit_exceeded'))]);
    expect(translator.failure?.code).toBe('upstream_rate_limited');
    expect(translator.rest).toBe('');
  });

  it('a failure before the first part of the answer is left to another provider', () => {
    for (const first of [event('error', said('server_error')), FAILED]) {
      expect(failureOf([first]).failure.code).toBe('upstream_error');
      expect(passed).toEqual([]);
    }
  });

  it('a failure speaks against the provider where no request can cause it', () => {
    const blame = (code?: string) =>
      verdictOf(failureOf([CREATED, whole('response.failed', { error: said(code) })]).failure).blame;
    expect([blame('server_error'), blame(), blame('invalid_prompt'), blame('x')]).toEqual([
      'provider',
      'provider',
      'request',
      'request',
    ]);
  });

  it('a failed response is billed by its own count, where it has one', () => {
    failureOf([CREATED, whole('response.failed', { usage: USAGE })]);
    expect(counted?.units).toMatchObject({ inputTokens: 10 });
  });
});

describe('what a response has used', () => {
  it('the usage is what the last event counts, with reasoning that is in the total alone', () => {
    translate([CREATED, COMPLETED]);
    expect(counted?.units).toMatchObject({
      inputTokens: 10,
      cachedInputTokens: 4,
      outputTokens: 8,
      webSearchRequests: 0,
      toolCalls: 0,
    });
  });

  it('calls of tools that the provider runs are counted, wherever they are reported', () => {
    const items = [
      { type: 'web_search_call', action: { type: 'search', query: 'q' } },
      { type: 'web_search_call', action: { type: 'open_page', url: 'u' } },
      { type: 'file_search_call' },
      { type: 'code_interpreter_call' },
      { type: 'shell_call', environment: { type: 'container_reference' } },
      { type: 'shell_call', environment: { type: 'local' } },
      { type: 'shell_call' },
      { type: 'mcp_call' },
      { type: 'function_call' },
    ];
    const calls = { webSearchRequests: 1, toolCalls: 3 };
    translate([CREATED, ...items.map((item, at) => done(item, at)), COMPLETED]);
    expect(counted?.units).toMatchObject(calls);
    translate([CREATED, whole('response.completed', { usage: USAGE, output: items })]);
    expect(counted?.units).toMatchObject(calls);
    translate([
      CREATED,
      ...items.map((item, at) => done(item, at)),
      whole('response.completed', { usage: USAGE, output: items }),
    ]);
    expect(counted?.units).toMatchObject(calls);
  });

  it.each([
    undefined,
    null,
    {},
    { input_tokens: 1 },
    { input_tokens: -1, output_tokens: 1 },
    { input_tokens: 1e12, output_tokens: 1 },
  ])('usage that cannot be true is not counted: %j', (usage) => {
    translate([CREATED, whole('response.completed', { usage })]);
    expect(counted).toBeUndefined();
  });

  it('usage is estimated by what the model writes, each part of it once', () => {
    translate([
      CREATED,
      added({ type: 'reasoning' }),
      event('response.reasoning_summary_text.delta', { output_index: 0, delta: 'think' }),
      done({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'think' }] }),
      added({ type: 'message' }, 1),
      DELTA.replace('"output_index":0', '"output_index":1'),
      done({ type: 'message', content: [{ type: 'output_text', text: 'hello' }] }, 1),
      done({ type: 'function_call', name: 'f', arguments: '{}' }, 2),
      done({ type: 'reasoning', encrypted_content: 'x'.repeat(1_000), summary: [] }, 3),
      done({ type: 'image_generation_call', result: 'x'.repeat(1_000) }, 4),
      event('response.audio.delta', { output_index: 5, delta: 'x'.repeat(1_000) }),
    ]);
    expect(JSON.stringify(written)).toBe(JSON.stringify([{}, 'think', {}, 'hello', ['{}', 'f'], [], [], {}]));
  });
});

describe('hostile events of Responses', () => {
  const translator = () => {
    const events = new ResponsesPassthroughStream(CALLER, IDS);
    events.translate(CREATED);
    return events;
  };

  it('an end without an output is no success', () => {
    const end = event('response.completed', { response: { id: 'resp_1' } });
    expect(() => translator().translate(end)).toThrow(GatewayError);
    expect(() => new ResponsesPassthroughStream(CALLER, IDS).translate(end)).toThrow(GatewayError);
  });

  it('endless new items do not fill the memory', () => {
    const events = translator();
    expect(() => {
      for (let index = 0; index < 20_000; index++)
        events.translate(event('response.output_text.delta', { output_index: index, delta: 'x' }));
    }).toThrow(GatewayError);
  });

  it.each([
    ['deep', '['.repeat(3_000_000) + ']'.repeat(3_000_000)],
    ['wide', `[${'{},'.repeat(2_000_000)}1]`],
  ])('%s events of many megabytes are not parsed', (_what, json) => {
    const long = `{"type":"response.in_progress","response":{"output":[],"more":${json}}}`;
    const events = translator();
    const parse = vi.spyOn(JSON, 'parse');
    try {
      expect(() => events.translate(long)).toThrow(GatewayError);
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });

  it('a picture of many megabytes passes', () => {
    const result = 'A'.repeat(8_000_000);
    const item = event('response.output_item.done', {
      output_index: 0,
      item: { type: 'image_generation_call', result },
    });
    expect(translator().translate(item).done).toBe(false);
  });
});
