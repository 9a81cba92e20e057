import { DEFAULT_OUTPUT_TOKENS } from '@model-gateway/dialects';
import { chatCompletionsRequest, embeddingsRequest, NO_UNITS, rerankRequest } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import {
  maxUnitsOfChat,
  maxUnitsOfEmbeddings,
  maxUnitsOfRerank,
  maxUnitsOfTranscription,
} from './max-units.ts';

const MEDIA_PART_TOKENS = 2_500;
const UNKNOWN = {
  contextLength: undefined,
  maxOutputTokens: undefined,
  mediaPartTokens: MEDIA_PART_TOKENS,
};
const chat = (over: object = {}) =>
  chatCompletionsRequest.parse({ model: 'acme/small', messages: [{ role: 'user', content: 'Hi' }], ...over });

describe('the maximum usage of a chat', () => {
  it('is one input token per byte of the request, at most the context length', () => {
    expect(maxUnitsOfChat(chat(), 70, UNKNOWN).maxUnits.inputTokens).toBe(70);
    expect(maxUnitsOfChat(chat(), 9_000, { ...UNKNOWN, contextLength: 8_192 }).maxUnits.inputTokens).toBe(
      8_192,
    );
  });

  it('adds tokens for images, audio and files, which the length of the request does not show', () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'https://example.com/1.png' } },
      { type: 'file', file: { file_id: 'file-1' } },
    ];
    const request = chat({ messages: [{ role: 'user', content }] });
    expect(maxUnitsOfChat(request, 200, UNKNOWN).maxUnits.inputTokens).toBe(200 + 2 * MEDIA_PART_TOKENS);
    expect(maxUnitsOfChat(request, 200, { ...UNKNOWN, contextLength: 1_000 }).maxUnits.inputTokens).toBe(
      1_000,
    );
  });

  it('is the output limit of the caller, per choice', () => {
    expect(maxUnitsOfChat(chat({ max_tokens: 50, n: 3 }), 70, UNKNOWN)).toEqual({
      maxUnits: { ...NO_UNITS, inputTokens: 70, outputTokens: 150 },
      choices: 3,
      defaultOutput: false,
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
    const { maxUnits: most, defaultOutput } = maxUnitsOfChat(chat({ prediction }), 70, UNKNOWN);
    expect(most.outputTokens).toBeGreaterThan(DEFAULT_OUTPUT_TOKENS + 1_000);
    expect(defaultOutput).toBe(false);
  });

  it('counts audio of an earlier response, and images outside the content', () => {
    const messages = [
      { role: 'assistant', content: 'a', audio: { id: 'audio_1' } },
      { role: 'user', content: 'b', images: ['aGk=', 'aGk='] },
    ];
    expect(maxUnitsOfChat(chat({ messages }), 200, UNKNOWN).maxUnits.inputTokens).toBe(
      200 + 3 * MEDIA_PART_TOKENS,
    );
  });

  it('stays within the range that can be priced, whatever the caller requests', () => {
    const request = chat({ max_tokens: Number.MAX_SAFE_INTEGER, n: 128 });
    expect(maxUnitsOfChat(request, 70, UNKNOWN).maxUnits.outputTokens).toBe(1_000_000_000);
  });
});

describe('the maximum usage of embeddings', () => {
  const most = (input: unknown, contextLength?: number) =>
    maxUnitsOfEmbeddings(embeddingsRequest.parse({ model: 'acme/embed', input }), 5_000, { contextLength });

  it('is one token per byte of the request', () => {
    expect(most('Hi')).toEqual({ ...NO_UNITS, inputTokens: 5_000 });
  });

  it('is at most the context length per entry', () => {
    expect(most('Hi', 512).inputTokens).toBe(512);
    expect(most([1, 2, 3], 512).inputTokens).toBe(512);
    expect(most(['a', 'b', 'c'], 512).inputTokens).toBe(3 * 512);
    expect(most([[1], [2, 3]], 512).inputTokens).toBe(2 * 512);
    expect(most(['a', 'b'], 8_192).inputTokens).toBe(5_000);
  });
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
