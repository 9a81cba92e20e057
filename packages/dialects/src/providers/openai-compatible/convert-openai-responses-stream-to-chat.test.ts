import { describe, expect, it } from 'vitest';
import { recordingCaller } from '../../../tests/recording-caller.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { convertOpenAiResponseToChat } from './convert-openai-response-to-chat.ts';
import { OpenAiResponsesStreamToChat } from './convert-openai-responses-stream-to-chat.ts';

const USAGE = {
  input_tokens: 100,
  output_tokens: 50,
  total_tokens: 150,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens_details: { reasoning_tokens: 20 },
};
const response = (more: object = {}) => ({ object: 'response', status: 'completed', output: [], ...more });
const CREATED = { type: 'response.created', response: response({ status: 'in_progress' }) };
const completed = (more: object = {}) => ({
  type: 'response.completed',
  response: response({ usage: USAGE, ...more }),
});
const REASONING = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [
    { type: 'summary_text', text: 'One.' },
    { type: 'summary_text', text: 'Two.' },
  ],
  encrypted_content: 'sealed',
};
const CALL = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}' };
const CUSTOM = { type: 'custom_tool_call', call_id: 'call_2', name: 'c', input: 'text' };
const MESSAGE = {
  type: 'message',
  content: [
    {
      type: 'output_text',
      text: 'Ice.',
      annotations: [
        { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 3 },
      ],
    },
  ],
};
const SEARCH = { type: 'web_search_call', action: { type: 'search' } };

function hear(...events: object[]) {
  const heard = recordingCaller();
  const translator = new OpenAiResponsesStreamToChat(heard.caller, 'openai/model');
  for (const event of events) translator.translate(JSON.stringify(event));
  return heard;
}

/** The items of an output as events: in pieces, or none before each is done. */
const added = (output_index: number, item: object) => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (output_index: number, item: object) => ({
  type: 'response.output_item.done',
  output_index,
  item,
});
const piece = (type: string, output_index: number, delta: string) => ({
  type: `response.${type}.delta`,
  output_index,
  delta,
});

/** A message as a client puts its deltas together. */
function joined(deltas: readonly JsonObject[]) {
  const message = { text: '', reasoning: '', details: '', signature: '', calls: new Map<unknown, string>() };
  for (const { content, reasoning_content, reasoning_details, tool_calls } of deltas) {
    if (typeof content === 'string') message.text += content;
    if (typeof reasoning_content === 'string') message.reasoning += reasoning_content;
    for (const detail of Array.isArray(reasoning_details) ? reasoning_details : []) {
      message.details += detail.text ?? '';
      message.signature += detail.signature ?? '';
    }
    for (const call of Array.isArray(tool_calls) ? tool_calls : []) {
      const text = call.function?.arguments ?? call.custom?.input ?? '';
      message.calls.set(call.index, (message.calls.get(call.index) ?? '') + text);
    }
  }
  return message;
}

const ALL = {
  text: 'Ice.',
  reasoning: 'One.\n\nTwo.',
  details: 'One.\n\nTwo.',
  signature: 'sealed',
  calls: new Map([
    [0, '{"a":1}'],
    [1, 'text'],
  ]),
};

describe('a stream of Responses', () => {
  it('a stream is sent piece by piece', () => {
    const { deltas, reasons, counted } = hear(
      CREATED,
      added(0, { type: 'reasoning', summary: [] }),
      { type: 'response.reasoning_summary_part.added', output_index: 0 },
      piece('reasoning_summary_text', 0, 'One.'),
      { type: 'response.reasoning_summary_part.added', output_index: 0 },
      piece('reasoning_summary_text', 0, 'Two.'),
      done(0, REASONING),
      added(1, { type: 'message', content: [] }),
      piece('output_text', 1, 'Ic'),
      piece('output_text', 1, 'e.'),
      done(1, MESSAGE),
      added(2, { ...CALL, arguments: '' }),
      piece('function_call_arguments', 2, '{"a"'),
      piece('function_call_arguments', 2, ':1}'),
      done(2, CALL),
      added(3, { ...CUSTOM, input: '' }),
      piece('custom_tool_call_input', 3, 'text'),
      done(3, CUSTOM),
      { type: 'response.something_new', output_index: 9 },
      completed(),
    );
    expect(joined(deltas)).toEqual(ALL);
    expect(reasons).toEqual(['tool_calls']);
    expect(counted).toEqual([
      { units: expect.objectContaining({ inputTokens: 100, cachedInputTokens: 40, outputTokens: 50 }) },
    ]);
  });

  it('a stream is sent whole where a provider sends items without their pieces', () => {
    const { deltas } = hear(
      CREATED,
      ...[REASONING, MESSAGE, CALL, CUSTOM].map((item, index) => done(index, item)),
      completed(),
    );
    expect(joined(deltas)).toEqual(ALL);
    expect(deltas).toContainEqual({
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 3 },
        },
      ],
    });
  });

  it.each([
    [{ reason: 'max_output_tokens' }, 'length'],
    [{ reason: 'content_filter' }, 'content_filter'],
  ])('an incomplete stream ends for its reason: %j', (incomplete_details, reason) => {
    const end = response({ status: 'incomplete', incomplete_details });
    expect(hear(CREATED, { type: 'response.incomplete', response: end }).reasons).toEqual([reason]);
    // Some servers call it completed.
    expect(hear(CREATED, { type: 'response.completed', response: end }).reasons).toEqual([reason]);
  });

  it('searches that the provider has run are counted', () => {
    const { counted } = hear(CREATED, done(0, SEARCH), completed({ output: [SEARCH, SEARCH] }));
    expect(counted).toEqual([{ units: expect.objectContaining({ webSearchRequests: 2 }) }]);
  });

  it("searches are billed by the provider's own count, unless it cannot be true", () => {
    const searches = (num_requests: unknown) => {
      const more = { output: [SEARCH], tool_usage: { web_search: { num_requests } } };
      return hear(CREATED, completed(more)).counted[0]?.units.webSearchRequests;
    };
    expect([3, 0, -1, 1e9, '3'].map(searches)).toEqual([3, 0, 1, 1, 1]);
  });

  it.each([
    ['text before its beginning', [piece('output_text', 0, 'x')], 502],
    ['a second beginning', [CREATED, CREATED], 502],
    ['an end without a response', [CREATED, { type: 'response.completed' }], 502],
    ['a call that has not begun', [CREATED, piece('function_call_arguments', 3, '{')], 502],
    ['an item that begins twice', [CREATED, added(0, CALL), added(0, CALL)], 502],
    ['a call without a name', [CREATED, added(0, { type: 'function_call', call_id: 'c' })], 502],
    [
      'its failure',
      [CREATED, { type: 'response.failed', response: { error: { code: 'server_error' } } }],
      502,
    ],
    ['an error', [CREATED, { type: 'error', error: { code: 'rate_limit_exceeded' } }], 429],
  ])('a stream with %s is broken off', (_, events, status) => {
    expect(() => hear(...events)).toThrow(expect.objectContaining({ status }));
  });
});

describe('a whole Responses response, for a caller of Chat Completions', () => {
  const whole = (more: object) => {
    const heard = recordingCaller();
    convertOpenAiResponseToChat(heard.caller, 'openai/model').whole(response({ usage: USAGE, ...more }), '');
    return heard;
  };

  it('a whole response becomes one message with all that it says', () => {
    const { completions, counted } = whole({ output: [REASONING, SEARCH, MESSAGE, CALL, CUSTOM] });
    expect(completions).toEqual([
      expect.objectContaining({
        object: 'chat.completion',
        model: 'openai/model',
        usage: {
          prompt_tokens: 100,
          completion_tokens: 50,
          total_tokens: 150,
          prompt_tokens_details: { cached_tokens: 40 },
          completion_tokens_details: { reasoning_tokens: 20 },
        },
        choices: [
          {
            index: 0,
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              content: 'Ice.',
              refusal: null,
              reasoning_content: 'One.\n\nTwo.',
              reasoning_details: [
                {
                  type: 'reasoning.text',
                  text: 'One.\n\nTwo.',
                  signature: 'sealed',
                  format: 'openai-responses-v1',
                  index: 0,
                },
              ],
              tool_calls: [
                { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
                { id: 'call_2', type: 'custom', custom: { name: 'c', input: 'text' } },
              ],
              annotations: [expect.objectContaining({ type: 'url_citation' })],
            },
          },
        ],
      }),
    ]);
    expect(counted).toEqual([{ units: expect.objectContaining({ webSearchRequests: 1 }) }]);
  });

  it('a failed response is an error', () => {
    expect(() => whole({ status: 'failed', error: { code: 'server_error' } })).toThrow(
      expect.objectContaining({ status: 502 }),
    );
  });

  it('a refused response says so', () => {
    const content = [{ type: 'refusal', refusal: 'No.' }];
    const { completions } = whole({ output: [{ type: 'message', content }] });
    expect(completions[0]?.choices[0]?.message).toEqual({ role: 'assistant', content: null, refusal: 'No.' });
  });
});
