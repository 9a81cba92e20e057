import { randomBytes } from 'node:crypto';
import { type CacheMark, DEFAULT_OUTPUT_TOKENS, measurePrompt } from '@model-gateway/dialects';
import {
  chatCompletionsRequest,
  messagesRequest,
  NO_UNITS,
  rerankRequest,
  responsesRequest,
} from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import {
  maxUnitsOfChat,
  maxUnitsOfEmbeddings,
  maxUnitsOfRerank,
  maxUnitsOfTranscription,
  textTokensOf,
  unusedUnitsOfChat,
} from './max-units.ts';

const MEDIA_PART_TOKENS = 2_500;
const UNKNOWN = {
  contextLength: undefined,
  maxOutputTokens: undefined,
  mediaPartTokens: MEDIA_PART_TOKENS,
  filePartTokens: undefined,
};
const CONTEXT = 200_000;
const KNOWN = { ...UNKNOWN, contextLength: CONTEXT };
const MIN_FILE_TOKENS = 20_000;
const chat = (over: object = {}) =>
  chatCompletionsRequest.parse({ model: 'acme/small', messages: [{ role: 'user', content: 'Hi' }], ...over });

const messages = (over: object) =>
  messagesRequest.parse({
    model: 'acme/small',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'Hi' }],
    ...over,
  });

describe('the maximum usage of a chat', () => {
  it('has the tokens of the text, also beyond the context of the catalog', () => {
    expect(maxUnitsOfChat(chat(), 70, UNKNOWN).maxUnits.inputTokens).toBe(70);
    expect(maxUnitsOfChat(chat(), 900_000, KNOWN).maxUnits.inputTokens).toBe(900_000);
  });

  const withPart = (...parts: object[]) =>
    chat({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, ...parts] }] });
  const image = (url: string) => ({ type: 'image_url', image_url: { url } });

  it('adds tokens for an image, which the length of the request does not show', () => {
    const request = withPart(image('https://example.com/1.png'), { ...image('https://example.com/2') });
    expect(maxUnitsOfChat(request, 200, KNOWN).maxUnits.inputTokens).toBe(200 + 2 * MEDIA_PART_TOKENS);
  });

  const pdf = (length: number) => ({
    type: 'file',
    file: { file_data: `data:application/pdf;base64,${'A'.repeat(length)}` },
  });

  it('adds a token per eight bytes of a file inside the request, at least 20,000, up to the context', () => {
    expect(maxUnitsOfChat(withPart(pdf(400_000)), 200, KNOWN).maxUnits.inputTokens).toBeCloseTo(50_200, -1);
    expect(maxUnitsOfChat(withPart(pdf(3_000_000)), 200, KNOWN).maxUnits.inputTokens).toBe(CONTEXT);
    const small = maxUnitsOfChat(withPart(pdf(400), pdf(400)), 200, KNOWN);
    expect(small.maxUnits.inputTokens).toBe(200 + 2 * MIN_FILE_TOKENS);
  });

  it.each<[string, object]>([
    ['a file by its id', { type: 'file', file: { file_id: 'file-1' } }],
    ['a file by its URL', { type: 'file', file: { file_data: 'https://example.com/1.pdf' } }],
    ['a video', { type: 'video_url', video_url: { url: 'https://example.com/1.mp4' } }],
    ['a video URL in the place of an image', image('https://example.com/1.mp4?a=1')],
    ['an unknown part', { type: 'document_url', document_url: 'https://example.com/1' }],
  ])('holds the rest of the context for %s, or what the catalog says', (_name, part) => {
    expect(maxUnitsOfChat(withPart(part), 200, KNOWN).maxUnits.inputTokens).toBe(CONTEXT);
    const limits = { ...KNOWN, filePartTokens: 30_000 };
    expect(maxUnitsOfChat(withPart(part, part), 200, limits).maxUnits.inputTokens).toBe(60_200);
    expect(maxUnitsOfChat(withPart(part), 200, UNKNOWN).maxUnits.inputTokens).toBe(1_000_200);
  });

  it.each<[string, object]>([
    ['a document by its URL', { type: 'document', source: { type: 'url', url: 'https://example.com/1' } }],
    ['a document by its id', { type: 'document', source: { type: 'file', file_id: 'file_1' } }],
    [
      'a document in a result of a tool',
      { type: 'tool_result', content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }] },
    ],
  ])('holds the rest of the context for %s in Messages', (_name, block) => {
    const request = messages({ messages: [{ role: 'user', content: [block] }] });
    expect(maxUnitsOfChat(request, 200, KNOWN).maxUnits.inputTokens).toBe(CONTEXT);
  });

  it.each<[string, object]>([
    ['a PDF', { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA' } }],
    ['a video as image', { type: 'image', source: { type: 'base64', media_type: 'video/mp4', data: 'AA' } }],
    [
      'a PDF in a result of a fetch',
      {
        type: 'web_fetch_tool_result',
        content: {
          type: 'web_fetch_result',
          content: {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'AA' },
          },
        },
      },
    ],
  ])('holds the tokens of a small file for %s in Messages', (_name, block) => {
    const request = messages({ messages: [{ role: 'user', content: [block] }] });
    expect(maxUnitsOfChat(request, 200, KNOWN).maxUnits.inputTokens).toBe(200 + MIN_FILE_TOKENS);
  });

  it('holds no more than its text for a document of text in Messages', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'a b' };
    const request = messages({ messages: [{ role: 'user', content: [{ type: 'document', source }] }] });
    expect(maxUnitsOfChat(request, 200, KNOWN).maxUnits.inputTokens).toBe(200 + MEDIA_PART_TOKENS);
  });

  it('holds the rest of the context for a stored thread', () => {
    const thread = { type: 'continue', previous_message_id: 'msg_1' };
    expect(maxUnitsOfChat(messages({ thread }), 200, KNOWN).maxUnits.inputTokens).toBe(CONTEXT);
  });

  it.each<[string, object]>([
    ['a file', { type: 'input_file', file_url: 'https://example.com/1.pdf' }],
    ['a video', { type: 'input_video', video_url: 'https://example.com/1' }],
  ])('holds the rest of the context for %s in Responses, also in the output of a tool', (_name, part) => {
    for (const item of [
      { role: 'user', content: [part] },
      { type: 'function_call_output', call_id: 'c', output: [part] },
    ]) {
      const request = responsesRequest.parse({ model: 'acme/small', input: [item] });
      expect(maxUnitsOfChat(request, 200, KNOWN).maxUnits.inputTokens).toBe(CONTEXT);
    }
  });

  it('is the output limit of the caller, per choice', () => {
    expect(maxUnitsOfChat(chat({ max_tokens: 50, n: 3 }), 70, UNKNOWN)).toEqual({
      maxUnits: { ...NO_UNITS, inputTokens: 70, outputTokens: 150 },
      choices: 3,
      defaultOutput: false,
      modelOutput: 0,
      firstOutput: 150,
    });
    expect(maxUnitsOfChat(chat({ max_completion_tokens: 50 }), 70, UNKNOWN).maxUnits.outputTokens).toBe(50);
  });

  it('uses the larger of two output limits of the caller, because a provider may know only one', () => {
    const request = chat({ max_tokens: 900, max_completion_tokens: 50 });
    expect(maxUnitsOfChat(request, 70, UNKNOWN).maxUnits.outputTokens).toBe(900);
  });

  it.each([
    ['the maximum output of the model', { ...UNKNOWN, contextLength: 8_192, maxOutputTokens: 4_096 }, 4_096],
    ['the context length, for a model without a maximum output', { ...UNKNOWN, contextLength: 8_192 }, 8_192],
    ['a default, for a model without any limit', UNKNOWN, DEFAULT_OUTPUT_TOKENS],
  ])('is %s if the caller sets no output limit', (_, limits, outputTokens) => {
    const { maxUnits: most, defaultOutput } = maxUnitsOfChat(chat(), 70, limits);
    expect({ outputTokens: most.outputTokens, defaultOutput }).toEqual({ outputTokens, defaultOutput: true });
  });

  it('is at first 4,096 output tokens for each choice of a stream', () => {
    const { firstOutput, maxUnits } = maxUnitsOfChat(chat({ n: 2, max_tokens: 50_000 }), 70, UNKNOWN);
    expect([firstOutput, maxUnits.outputTokens]).toEqual([8_192, 100_000]);
  });

  it('never exceeds the maximum output of the model', () => {
    const limits = { ...UNKNOWN, contextLength: 8_192, maxOutputTokens: 4_096 };
    const { maxUnits: most, defaultOutput } = maxUnitsOfChat(chat({ max_tokens: 5_000 }), 70, limits);
    expect({ outputTokens: most.outputTokens, defaultOutput }).toEqual({
      outputTokens: 4_096,
      defaultOutput: true,
    });
    expect(maxUnitsOfChat(chat({ max_tokens: 4_096 }), 70, limits).defaultOutput).toBe(false);
  });

  it('adds a prediction that the model may reject, and then no smaller max_tokens is suggested', () => {
    const prediction = { type: 'content', content: 'x'.repeat(1_000) };
    const bounds = maxUnitsOfChat(chat({ prediction }), 70, UNKNOWN);
    expect(bounds.maxUnits.outputTokens).toBeGreaterThan(DEFAULT_OUTPUT_TOKENS + 1_000);
    expect(bounds).toMatchObject({ defaultOutput: false, modelOutput: DEFAULT_OUTPUT_TOKENS });
  });

  it('counts audio of an earlier response, and images outside the content', () => {
    const images = [{ role: 'user', content: 'b', images: ['aGk=', 'aGk='] }];
    const { maxUnits } = maxUnitsOfChat(chat({ messages: images }), 200, UNKNOWN);
    expect(maxUnits.inputTokens).toBe(200 + 2 * MEDIA_PART_TOKENS);
    const audio = [{ role: 'assistant', content: 'a', audio: { id: 'audio_1' } }];
    expect(maxUnitsOfChat(chat({ messages: audio }), 200, KNOWN).maxUnits.inputTokens).toBe(CONTEXT);
  });

  it('stays within the range that can be priced, whatever the caller requests', () => {
    const request = chat({ max_tokens: Number.MAX_SAFE_INTEGER, n: 128 });
    expect(maxUnitsOfChat(request, 70, UNKNOWN).maxUnits.outputTokens).toBe(1_000_000_000);
  });
});

describe('the tokens reserved for a text', () => {
  const measured = (text: string, { isKnown = true, mediaBytes = 0 } = {}) => {
    const json = Buffer.from(JSON.stringify({ text }));
    return textTokensOf(measurePrompt([json]), { bodyBytes: json.length, isKnown, mediaBytes });
  };
  const words = 'the quick brown fox jumps over it '.repeat(3_000);

  it('are at least a third of the bytes, plus 15 %, if the tokenizer is not public', () => {
    expect(measured(words, { isKnown: false })).toBeGreaterThanOrEqual((words.length / 3) * 1.15);
    expect(measured(words)).toBeLessThan(words.length / 3);
  });

  it('are never more than the bytes', () => {
    for (const text of ['\u{20000}'.repeat(1_000), '1,'.repeat(1_000), ''])
      expect(measured(text)).toBeLessThanOrEqual(Buffer.byteLength(JSON.stringify({ text })));
  });

  it('do not contain the base64 of an image, wherever the chunks of the request end', () => {
    const data = randomBytes(300_000).toString('base64');
    const json = Buffer.from(JSON.stringify({ text: words, url: `data:image/png;base64,${data}` }));
    const chunks = [json.subarray(0, 150_001), json.subarray(150_001)];
    const size = { bodyBytes: json.length, isKnown: false, mediaBytes: data.length + 22 };
    const tokens = textTokensOf(measurePrompt(chunks), size);
    expect(tokens).toBeGreaterThanOrEqual(measured(words, { isKnown: false }));
    expect(tokens).toBeLessThan(1.05 * measured(words, { isKnown: false }));
  });

  it('contain base64 that is text', () => {
    expect(measured(randomBytes(30_000).toString('base64'))).toBeGreaterThan(24_000);
  });
});

describe('the prices that a chat does not reserve', () => {
  const unused = (cacheMark: CacheMark, over = {}, cachesMarkedOnly = true) =>
    unusedUnitsOfChat({ mediaParts: 1, ...over }, cacheMark, cachesMarkedOnly);

  it('are those of cache writes that it does not ask for', () => {
    expect(unused('none')).toEqual(['cacheWriteTokens', 'cacheWrite1hTokens']);
    expect(unused('usual')).toEqual(['cacheWrite1hTokens']);
    expect(unused('1h')).toEqual([]);
    expect(unused('none', {}, false)).toEqual([]);
  });

  it('are those of images and recordings that it does not have', () => {
    expect(unused('1h', { mediaParts: 0 })).toEqual(['audioInputTokens', 'imageInputTokens']);
    expect(unused('1h', { mediaParts: 0, broughtTokens: 1 })).toEqual([]);
  });

  it.each<[string, CacheMark]>([
    ['{"messages":[{"content":"cache_control \\"1h\\" \\u001b[0m"}]}', 'none'],
    ['{"system":[{"cache_control":{"type":"ephemeral"}}]}', 'usual'],
    ['{"prompt_cache_key":"a"}', 'usual'],
    ['{"system":[{"cache_control":{"type":"ephemeral","ttl":"1h"}}]}', '1h'],
    ['{"system":[{"cach\\u0065_control":{"type":"ephemeral"}}]}', '1h'],
  ])('are known from %s', (json, mark) => {
    expect(measurePrompt([Buffer.from(json)]).cacheMark).toBe(mark);
  });
});

it('the maximum usage of embeddings is one token per byte of the request', () => {
  expect(maxUnitsOfEmbeddings(5_000)).toEqual({ ...NO_UNITS, inputTokens: 5_000 });
});

describe('the maximum usage of a rerank', () => {
  const most = (query: string, documents: number) =>
    maxUnitsOfRerank(
      rerankRequest.parse({ model: 'acme/rerank', query, documents: Array(documents).fill('x') }),
      2_000,
    );

  it('is one search unit per 100 documents, rounded up', () => {
    expect(most('q', 1).searchUnits).toBe(1);
    expect(most('q', 100).searchUnits).toBe(1);
    expect(most('q', 101).searchUnits).toBe(2);
    expect(most('q', 1_000).searchUnits).toBe(10);
  });

  it('counts a long document as several', () => {
    const documents = ['x'.repeat(50_000)];
    const value = rerankRequest.parse({ model: 'acme/rerank', query: 'q', documents });
    expect(maxUnitsOfRerank(value, 50_100).searchUnits).toBe(2);
  });

  it('is one token per byte, with the query counted once per document', () => {
    expect(most('é', 1).inputTokens).toBe(2_000);
    expect(most('é', 10).inputTokens).toBe(2_000 + 9 * 2);
  });
});

describe('the maximum usage of a transcription', () => {
  it('is the duration of its bytes at 6 kbit/s, rounded up to milliseconds', () => {
    expect(maxUnitsOfTranscription(750)).toEqual({ ...NO_UNITS, audioMs: 1_000 });
    expect(maxUnitsOfTranscription(751).audioMs).toBe(1_002);
    expect(maxUnitsOfTranscription(0).audioMs).toBe(0);
  });

  it('is at most six hours', () => {
    expect(maxUnitsOfTranscription(25 * 1024 * 1024).audioMs).toBe(6 * 3_600_000);
  });
});
