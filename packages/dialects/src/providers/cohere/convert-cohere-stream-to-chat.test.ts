import { describe, expect, it } from 'vitest';
import { recordingCaller } from '../../../tests/recording-caller.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { convertCohereResponseToChat } from './convert-cohere-response-to-chat.ts';
import { CohereStreamToChat } from './convert-cohere-stream-to-chat.ts';

const START = { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } };
const END = { type: 'message-end', delta: { finish_reason: 'COMPLETE' } };
const text = (type: string, index: number, content: object) => ({
  type,
  index,
  delta: { message: { content } },
});
const call = (type: string, index: number, tool_calls?: object) => ({
  type,
  index,
  ...(tool_calls === undefined ? {} : { delta: { message: { tool_calls } } }),
});

function hear(...events: object[]) {
  const heard = recordingCaller();
  const translator = new CohereStreamToChat(heard.caller, 'cohere/model');
  for (const event of events) translator.translate(JSON.stringify(event));
  return heard;
}

/** The arguments of each call, as a client puts them together. */
function argumentsIn(deltas: readonly JsonObject[]): Record<string, string> {
  const written: Record<string, string> = {};
  for (const { tool_calls } of deltas) {
    if (!Array.isArray(tool_calls)) continue;
    for (const { function: called, index } of tool_calls) {
      written[index] = (written[index] ?? '') + called.arguments;
    }
  }
  return written;
}

describe('a Cohere stream', () => {
  it.each([
    [['null'], '{}'],
    [['nu', 'll'], '{}'],
    [[''], '{}'],
    [[], '{}'],
    [['{"a"', ':1}'], '{"a":1}'],
    [['{}'], '{}'],
    [[' {', '}'], ' {}'],
  ])('the arguments %j of a call become %s', (pieces, expected) => {
    const { deltas } = hear(
      START,
      call('tool-call-start', 0, { id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
      ...pieces.map((one) => call('tool-call-delta', 0, { function: { arguments: one } })),
      call('tool-call-end', 0),
      { ...END, delta: { finish_reason: 'TOOL_CALL' } },
    );
    expect(argumentsIn(deltas)).toEqual({ 0: expected });
  });

  it('arguments of endless white space become empty ones', () => {
    const space = ' '.repeat(1_000);
    const pieces = Array.from({ length: 10_000 }, () =>
      call('tool-call-delta', 0, { function: { arguments: space } }),
    );
    const started = call('tool-call-start', 0, { id: 'f1', type: 'function', function: { name: 'now' } });
    const before = process.cpuUsage();
    const { deltas } = hear(START, started, ...pieces, call('tool-call-end', 0), END);
    expect(argumentsIn(deltas)).toEqual({ '0': '{}' });
    // Where each piece goes through all that came before it, this takes minutes.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(30_000);
  });

  it('a stream with more parts than any model writes is broken off', () => {
    const parts = (count: number) =>
      Array.from({ length: count }, (_, index) => text('content-start', index, { type: 'text' }));
    expect(() => hear(START, ...parts(4_096))).not.toThrow();
    expect(() => hear(START, ...parts(4_097))).toThrow();
  });

  it('calls that come at the same time are kept apart', () => {
    const begun = (id: string) => ({ id, type: 'function', function: { name: id, arguments: '' } });
    const { deltas } = hear(
      START,
      call('tool-call-start', 0, begun('a')),
      call('tool-call-start', 1, begun('b')),
      call('tool-call-delta', 1, { function: { arguments: '{"b":1}' } }),
      call('tool-call-delta', 0, { function: { arguments: '{"a":1}' } }),
      call('tool-call-end', 0),
      call('tool-call-end', 1),
      END,
    );
    expect(argumentsIn(deltas)).toEqual({ 0: '{"a":1}', 1: '{"b":1}' });
  });

  it('thoughts, plans and texts each have their place', () => {
    const { deltas } = hear(
      START,
      text('content-start', 0, { type: 'thinking', thinking: 'Hm' }),
      text('content-delta', 0, { thinking: 'm.' }),
      { type: 'content-end', index: 0 },
      { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I will.' } } },
      text('content-start', 1, { type: 'text', text: '' }),
      text('content-delta', 1, { text: 'Yes.' }),
      { type: 'something-new', delta: {} },
      END,
    );
    expect(deltas).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Hm' },
      { reasoning_content: 'm.' },
      { content: 'I will.' },
      { content: 'Yes.' },
    ]);
  });

  it('citations of pages become annotations, at their place in the whole text', () => {
    const cited = (content_index: number, document: object) => ({
      type: 'citation-start',
      index: 0,
      delta: {
        message: {
          citations: { start: 1, end: 3, content_index, sources: [{ type: 'document', document }] },
        },
      },
    });
    const { deltas } = hear(
      START,
      text('content-start', 0, { type: 'text', text: '12345' }),
      text('content-start', 1, { type: 'text', text: '678' }),
      cited(1, { url: 'https://a.example', title: 'A' }),
      cited(0, { text: 'no page' }),
      END,
    );
    const url_citation = { url: 'https://a.example', title: 'A', start_index: 6, end_index: 8 };
    expect(deltas.filter((delta) => 'annotations' in delta)).toEqual([
      { annotations: [{ type: 'url_citation', url_citation }] },
    ]);
  });

  it.each([
    ['COMPLETE', 'stop'],
    ['STOP_SEQUENCE', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['TOOL_CALL', 'stop'],
    ['ERROR_TOXIC', 'content_filter'],
    ['SOMETHING_NEW', 'stop'],
  ])('a stream that ends with %s has ended with %s', (finish_reason, expected) => {
    const { ends, reasons } = hear(START, { ...END, delta: { finish_reason } });
    expect([reasons, ends()]).toEqual([[expected], 1]);
  });

  it.each<[string, (string | object)[]]>([
    ['what is no JSON', ['{']],
    ['an error without a type', [START, { message: 'internal server error' }]],
    ['an error', [START, { type: 'error', message: 'no' }]],
    ['no beginning', [text('content-delta', 0, { text: 'a' })]],
    ['an end without a beginning', [END]],
    ['two beginnings', [START, START]],
    ['anything after its end', [START, END, text('content-delta', 0, { text: 'a' })]],
    ['no reason for its end', [START, { type: 'message-end', delta: {} }]],
    ['ERROR', [START, { type: 'message-end', delta: { finish_reason: 'ERROR' } }]],
    ['TIMEOUT', [START, { type: 'message-end', delta: { finish_reason: 'TIMEOUT' } }]],
    [
      'an error at its end',
      [START, { type: 'message-end', delta: { error: 'x', finish_reason: 'COMPLETE' } }],
    ],
    ['arguments of no call', [START, call('tool-call-delta', 0, { function: { arguments: '{}' } })]],
  ])('a stream is broken off with %s', (_what, events) => {
    const { caller, ends } = recordingCaller();
    const translator = new CohereStreamToChat(caller, 'cohere/model');
    const told = () => {
      for (const event of events)
        translator.translate(typeof event === 'string' ? event : JSON.stringify(event));
    };
    expect(told).toThrow(expect.objectContaining({ code: 'upstream_error' }));
    // One that has ended may be followed by rubbish, which is never looked at.
    expect(ends()).toBe(events.includes(END) && events.length > 1 ? 1 : 0);
  });

  it('a failed stream costs what Cohere says that it has used', () => {
    const { caller, counted } = recordingCaller();
    const translator = new CohereStreamToChat(caller, 'cohere/model');
    translator.translate(JSON.stringify(START));
    const usage = { billed_units: { input_tokens: 3, output_tokens: 2 } };
    const event = { type: 'message-end', delta: { finish_reason: 'ERROR', usage } };
    expect(() => translator.translate(JSON.stringify(event))).toThrow();
    expect(counted).toEqual([{ units: { inputTokens: 3, cachedInputTokens: 0, outputTokens: 2 } }]);
  });
});

describe('a whole Cohere response', () => {
  const whole = (answer: object) => {
    const heard = recordingCaller();
    convertCohereResponseToChat(heard.caller, 'cohere/model').whole(answer, '');
    return heard;
  };

  it('a whole chat has its message, and is billed by the billed units', () => {
    const { completions, counted } = whole({
      id: 'c1',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'something-new' },
          { type: 'text', text: 'Yes.' },
        ],
        citations: [
          {
            start: 0,
            end: 3,
            content_index: 2,
            sources: [{ type: 'tool', tool_output: { url: 'https://a.example' } }],
          },
        ],
      },
      finish_reason: 'COMPLETE',
      usage: {
        billed_units: { input_tokens: 5, output_tokens: 1.5 },
        tokens: { input_tokens: 500, output_tokens: 9 },
        cached_tokens: 400,
      },
    });
    const url_citation = {
      url: 'https://a.example',
      title: 'https://a.example',
      start_index: 0,
      end_index: 3,
    };
    expect(completions[0]).toMatchObject({
      id: 'c1',
      model: 'cohere/model',
      choices: [
        {
          finish_reason: 'stop',
          message: {
            content: 'Yes.',
            reasoning_content: 'Hm.',
            annotations: [{ type: 'url_citation', url_citation }],
          },
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    });
    expect(counted).toEqual([{ units: { inputTokens: 5, cachedInputTokens: 0, outputTokens: 2 } }]);
  });

  it('a whole chat without billed units is billed by all that was read and written', () => {
    const usage = { tokens: { input_tokens: 500, output_tokens: 9 }, cached_tokens: 600 };
    const { counted } = whole({ message: { content: [] }, finish_reason: 'COMPLETE', usage });
    expect(counted).toEqual([{ units: { inputTokens: 500, cachedInputTokens: 500, outputTokens: 9 } }]);
  });

  it.each([
    ['a reason that is a failure', { message: {}, finish_reason: 'ERROR' }],
    ['no message', { finish_reason: 'COMPLETE' }],
    ['nothing', {}],
  ])('a whole chat is an error with %s', (_what, answer) => {
    expect(() => whole(answer)).toThrow(expect.objectContaining({ code: 'upstream_error' }));
  });
});
