import { GatewayError, NO_UNITS } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ChatCompletionsWriter } from '../../callers/chat-completions/chat-completions-writer.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { ChatMeter } from '../../usage/chat-meter.ts';
import { convertGeminiResponseToChat } from './convert-gemini-response-to-chat.ts';
import { GeminiStreamToChat } from './convert-gemini-stream-to-chat.ts';

const MODEL = 'google/gemini';

function callerOf() {
  const max = { ...NO_UNITS, inputTokens: 1_000, outputTokens: 1_000 };
  const meter = new ChatMeter([Buffer.from('{}')], { max, mediaParts: 0, mediaPartTokens: 0 });
  return { meter, caller: new ChatCompletionsWriter(meter, MODEL, true) };
}

const chunk = z.object({
  choices: z.array(z.object({ delta: z.looseObject({}), finish_reason: z.string().nullable() })),
  usage: z.unknown().optional(),
});

/** Returns the client's events, with the end if the stream may end there. */
function told(events: readonly JsonObject[]) {
  const { caller, meter } = callerOf();
  const translator = new GeminiStreamToChat(caller, MODEL);
  let text = '';
  for (const event of events) text += translator.translate(JSON.stringify(event)).text;
  const { mayEnd } = translator;
  if (mayEnd) text += translator.end();
  const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => chunk.parse(JSON.parse(data)));
  const choices = chunks.flatMap((one) => one.choices);
  return {
    text,
    mayEnd,
    deltas: choices.map(({ delta }) => delta),
    finishReason: choices.at(-1)?.finish_reason,
    usage: meter.usage(mayEnd),
  };
}

function whole(answer: JsonObject): { choices: JsonObject[]; usage?: unknown } {
  const { caller } = callerOf();
  const { body } = convertGeminiResponseToChat(caller, MODEL).whole(answer, JSON.stringify(answer));
  return z.looseObject({ choices: z.array(z.looseObject({})) }).parse(body);
}

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 22, thoughtsTokenCount: 7 };
const event = (parts: JsonObject[], more: JsonObject = {}, usageMetadata: JsonObject = USAGE) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  usageMetadata,
  responseId: 'r1',
});
const STOP = { finishReason: 'STOP' };

function failureOf(run: () => unknown): GatewayError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error('it did not fail');
}

describe('a stream of generateContent', () => {
  it('a stream becomes deltas, and ends only when the provider has ended it', () => {
    const { deltas, finishReason, mayEnd, text, usage } = told([
      event([{ text: 'Hm.', thought: true }]),
      event([{ text: 'Hel' }]),
      event([{ text: 'lo' }]),
      event([{ text: '', thoughtSignature: 'c2ln' }], STOP),
    ]);
    expect(mayEnd).toBe(true);
    expect(deltas).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Hm.' },
      { content: 'Hel' },
      { content: 'lo' },
      {
        reasoning_details: [
          { type: 'reasoning.encrypted', data: 'c2ln', format: 'google-gemini-v1', index: 0 },
        ],
      },
      {},
    ]);
    expect(finishReason).toBe('stop');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(usage).toMatchObject({
      inputTokens: 10,
      outputTokens: 12,
      reasoningTokens: 7,
      source: 'provider',
    });
  });

  it('a stream without a finish reason may not end', () => {
    const { mayEnd, text } = told([event([{ text: 'Hello' }])]);
    expect(mayEnd).toBe(false);
    expect(text).not.toContain('[DONE]');
  });

  it('a stream may report its usage after its finish reason', () => {
    const { usage } = told([event([{ text: 'Hello' }], STOP, {}), { usageMetadata: USAGE }]);
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 12, source: 'provider' });
  });

  it('a stream that was counted only before its end is billed for what was delivered after that, too', () => {
    const early = { promptTokenCount: 10, totalTokenCount: 10 };
    const events = [
      event([{ text: 'a' }], {}, early),
      { candidates: [{ content: { parts: [{ text: 'x'.repeat(400) }] } }] },
      { candidates: [{ content: { parts: [{ text: '' }] }, ...STOP }] },
    ];
    const { text, usage } = told(events);
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 101, source: 'estimated' });
    expect(text).not.toContain('"completion_tokens":0');
    expect(told([...events, { usageMetadata: USAGE }]).usage).toMatchObject({
      outputTokens: 12,
      source: 'provider',
    });
  });

  it('a stream is not free where the provider counts no output for what it has written', () => {
    const none = { promptTokenCount: 10, totalTokenCount: 10 };
    const { usage } = told([event([{ text: 'x'.repeat(400) }], STOP, none)]);
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 100, source: 'estimated' });
  });

  it('a stream ends for the calls that come after its finish reason', () => {
    const call = { functionCall: { name: 'look', args: {} } };
    expect(told([event([{ text: 'Hm.' }], STOP), event([call])]).finishReason).toBe('tool_calls');
  });

  it('calls get ids of the gateway, and keep their signatures byte for byte', () => {
    const { deltas, finishReason } = told([
      event([
        { functionCall: { name: 'look', args: { at: 1 } }, thoughtSignature: 'Ab+/=' },
        { functionCall: { name: 'stop' } },
      ]),
      event([{ text: '' }], STOP),
    ]);
    expect(finishReason).toBe('tool_calls');
    const call = (index: number, name: string, args: string, more: object = {}) => ({
      tool_calls: [
        {
          index,
          id: expect.stringMatching(/^call_/),
          type: 'function',
          function: { name, arguments: args },
          ...more,
        },
      ],
    });
    expect(deltas.slice(1, 3)).toEqual([
      call(0, 'look', '{"at":1}', { extra_content: { google: { thought_signature: 'Ab+/=' } } }),
      call(1, 'stop', '{}'),
    ]);
  });

  it('calls whose arguments come in pieces are sent when they are complete', () => {
    const piece = (partialArgs: JsonObject[] | undefined, more: JsonObject = {}) =>
      event([{ functionCall: { ...(partialArgs === undefined ? {} : { partialArgs }), ...more } }]);
    const { deltas } = told([
      piece(undefined, { name: 'write', willContinue: true }),
      piece([{ jsonPath: '$.items[0].name', stringValue: 'ap', willContinue: true }], { willContinue: true }),
      piece([{ jsonPath: '$.items[0].name', stringValue: 'ple' }], { willContinue: true }),
      piece(
        [
          { jsonPath: '$.items[0].price', numberValue: 0.5 },
          { jsonPath: "$['a b']", boolValue: false },
        ],
        {
          willContinue: true,
        },
      ),
      piece([{ jsonPath: '$.__proto__.polluted', nullValue: null }]),
      event([{ text: '' }], STOP),
    ]);
    const args = '{"items":[{"name":"apple","price":0.5}],"a b":false,"__proto__":{"polluted":null}}';
    expect(deltas[1]).toMatchObject({ tool_calls: [{ function: { name: 'write', arguments: args } }] });
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it.each([
    ['$.a[99999].b', 1],
    ['a.b', 1],
    ['$.a..b', 1],
    [`$${'.a'.repeat(100)}`, 1],
  ])('a stream is broken off by a piece of arguments that belongs nowhere: %s', (jsonPath, numberValue) => {
    const partial = event([{ functionCall: { name: 'f', partialArgs: [{ jsonPath, numberValue }] } }]);
    expect(failureOf(() => told([partial])).code).toBe('upstream_error');
  });

  it('a stream that reports a failure breaks off', () => {
    const failure = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } };
    expect(failureOf(() => told([event([{ text: 'Hel' }]), failure])).code).toBe('upstream_error');
    expect(failureOf(() => told([event([{ text: 'Hel' }], { finishReason: 'OTHER' })])).code).toBe(
      'upstream_error',
    );
    for (const nonsense of [{}, { candidates: 7 }, { candidates: [null] }, { status: 'ok', items: [] }])
      expect(failureOf(() => told([nonsense])).code).toBe('upstream_error');
  });

  it('a response that the model gave up is an error in the words of Google', () => {
    const ended = (finishReason: string, finishMessage?: string) =>
      failureOf(() => told([event([{ text: 'Hel' }], { finishReason, finishMessage })]));
    expect(ended('MALFORMED_FUNCTION_CALL', 'Malformed function call: print(')).toMatchObject({
      status: 502,
      message: expect.stringContaining('MALFORMED_FUNCTION_CALL (Malformed function call: print()'),
    });
    expect(ended('UNEXPECTED_TOOL_CALL').message).toContain('UNEXPECTED_TOOL_CALL');
    expect(ended('MISSING_THOUGHT_SIGNATURE')).toMatchObject({
      status: 400,
      code: 'upstream_rejected',
      message: expect.stringContaining('send the reasoning of earlier responses back unchanged'),
    });
  });

  it('an event with more parts than any model writes is broken off', () => {
    const parts = (count: number) => [event(Array.from({ length: count }, () => ({ text: 'a' })))];
    expect(told(parts(4_096)).deltas).toHaveLength(4_097);
    expect(failureOf(() => told(parts(4_097))).code).toBe('upstream_error');
  });

  it('endless arguments of a call are broken off', () => {
    const piece = {
      partialArgs: [{ jsonPath: '$.a', stringValue: 'x'.repeat(1_000_000), willContinue: true }],
      willContinue: true,
    };
    const pieces = (count: number) => [
      event([{ functionCall: { name: 'write', willContinue: true } }]),
      ...Array.from({ length: count }, () => event([{ functionCall: piece }])),
    ];
    expect(() => told(pieces(8))).not.toThrow();
    expect(failureOf(() => told(pieces(9))).code).toBe('upstream_error');
  });

  it.each([
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SOMETHING_NEW', 'stop'],
  ])('a stream says why it ended: %s', (finishReason, expected) => {
    expect(told([event([{ text: 'Hel' }], { finishReason })]).finishReason).toBe(expected);
  });

  it('a stream whose prompt was refused is a refusal, and costs its prompt', () => {
    const blocked = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
    };
    const { deltas, finishReason, usage } = told([blocked]);
    expect(finishReason).toBe('content_filter');
    expect(deltas).toContainEqual({
      refusal: 'The model provider has blocked the prompt: PROHIBITED_CONTENT.',
    });
    expect(usage).toMatchObject({ inputTokens: 9, outputTokens: 0, source: 'provider' });
  });
});

describe('a whole answer', () => {
  it('a whole answer has its text, thoughts, signatures, calls, pictures and usage', () => {
    const parts = [
      { text: 'Hm.', thought: true, thoughtSignature: 'dA==' },
      { text: 'Look: ' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { text: 'there.', thoughtSignature: 'dGV4dA==' },
      { functionCall: { id: 'fc1', name: 'look', args: { at: 1 } }, thoughtSignature: 'Ab+/=' },
    ];
    const usage = { ...USAGE, cachedContentTokenCount: 4, toolUsePromptTokenCount: 2, totalTokenCount: 24 };
    const answer = whole(event(parts, STOP, usage));
    expect(answer.choices).toEqual([
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'Look: there.',
          refusal: null,
          reasoning_content: 'Hm.',
          reasoning_details: [
            { type: 'reasoning.text', text: 'Hm.', signature: 'dA==', format: 'google-gemini-v1', index: 0 },
            { type: 'reasoning.encrypted', data: 'dGV4dA==', format: 'google-gemini-v1', index: 1 },
          ],
          images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
          tool_calls: [
            {
              id: 'fc1',
              type: 'function',
              function: { name: 'look', arguments: '{"at":1}' },
              extra_content: { google: { thought_signature: 'Ab+/=', id: 'fc1' } },
            },
          ],
        },
      },
    ]);
    expect(answer.usage).toEqual({
      prompt_tokens: 12,
      completion_tokens: 12,
      total_tokens: 24,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 7 },
    });
  });

  it('a whole answer that is cut off, or no answer at all, is an error', () => {
    expect(failureOf(() => whole(event([{ text: 'Hel' }]))).code).toBe('upstream_error');
    expect(failureOf(() => whole({ status: 'ok' })).code).toBe('upstream_error');
  });
});
