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

describe('the most a chat can consume', () => {
  it('is a token for each byte of the request, and what the context holds at most', () => {
    expect(maxUnitsOfChat(chat(), 70, UNKNOWN).maxUnits.inputTokens).toBe(70);
    expect(maxUnitsOfChat(chat(), 9_000, { ...UNKNOWN, contextLength: 8_192 }).maxUnits.inputTokens).toBe(
      8_192,
    );
  });

  it('counts images, audio and files that the length of the request does not tell', () => {
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

  it('is the output that the caller allows, for each choice', () => {
    expect(maxUnitsOfChat(chat({ max_tokens: 50, n: 3 }), 70, UNKNOWN)).toEqual({
      maxUnits: { ...NO_UNITS, inputTokens: 70, outputTokens: 150 },
      choices: 3,
      defaultOutput: false,
    });
    expect(maxUnitsOfChat(chat({ max_completion_tokens: 50 }), 70, UNKNOWN).maxUnits.outputTokens).toBe(50);
  });

  it('is the larger of two bounds of the caller, since a provider may know only one of them', () => {
    const request = chat({ max_tokens: 900, max_completion_tokens: 50 });
    expect(maxUnitsOfChat(request, 70, UNKNOWN).maxUnits.outputTokens).toBe(900);
  });

  it.each([
    ['what the model can write', { ...UNKNOWN, contextLength: 8_192, maxOutputTokens: 4_096 }, 4_096],
    ['the context, where the catalog says no more', { ...UNKNOWN, contextLength: 8_192 }, 8_192],
    ['a default, where the catalog says nothing', UNKNOWN, DEFAULT_OUTPUT_TOKENS],
  ])('is %s, when the caller leaves it to the model', (_, limits, outputTokens) => {
    const { maxUnits: most, defaultOutput } = maxUnitsOfChat(chat(), 70, limits);
    expect({ outputTokens: most.outputTokens, defaultOutput }).toEqual({ outputTokens, defaultOutput: true });
  });

  it('is never more than the model can write', () => {
    const limits = { ...UNKNOWN, contextLength: 8_192, maxOutputTokens: 4_096 };
    const { maxUnits: most, defaultOutput } = maxUnitsOfChat(chat({ max_tokens: 5_000 }), 70, limits);
    expect({ outputTokens: most.outputTokens, defaultOutput }).toEqual({
      outputTokens: 4_096,
      defaultOutput: true,
    });
    expect(maxUnitsOfChat(chat({ max_tokens: 4_096 }), 70, limits).defaultOutput).toBe(false);
  });

  it('has room for a prediction that the model rejects, for which no max_tokens can be advised', () => {
    const prediction = { type: 'content', content: 'x'.repeat(1_000) };
    const { maxUnits: most, defaultOutput } = maxUnitsOfChat(chat({ prediction }), 70, UNKNOWN);
    expect(most.outputTokens).toBeGreaterThan(DEFAULT_OUTPUT_TOKENS + 1_000);
    expect(defaultOutput).toBe(false);
  });

  it('counts the recording of an earlier answer, and pictures beside the content', () => {
    const messages = [
      { role: 'assistant', content: 'a', audio: { id: 'audio_1' } },
      { role: 'user', content: 'b', images: ['aGk=', 'aGk='] },
    ];
    expect(maxUnitsOfChat(chat({ messages }), 200, UNKNOWN).maxUnits.inputTokens).toBe(
      200 + 3 * MEDIA_PART_TOKENS,
    );
  });

  it('stays a count that can be priced, whatever the caller asks for', () => {
    const request = chat({ max_tokens: Number.MAX_SAFE_INTEGER, n: 128 });
    expect(maxUnitsOfChat(request, 70, UNKNOWN).maxUnits.outputTokens).toBe(1_000_000_000);
  });
});

describe('the most that embeddings can consume', () => {
  const most = (input: unknown, contextLength?: number) =>
    maxUnitsOfEmbeddings(embeddingsRequest.parse({ model: 'acme/embed', input }), 5_000, { contextLength });

  it('is a token for each byte of the request', () => {
    expect(most('Hi')).toEqual({ ...NO_UNITS, inputTokens: 5_000 });
  });

  it('is a context for each entry', () => {
    expect(most('Hi', 512).inputTokens).toBe(512);
    expect(most([1, 2, 3], 512).inputTokens).toBe(512);
    expect(most(['a', 'b', 'c'], 512).inputTokens).toBe(3 * 512);
    expect(most([[1], [2, 3]], 512).inputTokens).toBe(2 * 512);
    expect(most(['a', 'b'], 8_192).inputTokens).toBe(5_000);
  });
});

describe('the most that a rerank can consume', () => {
  const most = (query: string, documents: number) =>
    maxUnitsOfRerank(
      rerankRequest.parse({ model: 'acme/rerank', query, documents: Array(documents).fill('x') }),
      2_000,
    );

  it('is a search unit for each hundred documents begun', () => {
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

  it('is a token for each byte, with the query once for each document', () => {
    expect(most('é', 1).inputTokens).toBe(2_000);
    expect(most('é', 10).inputTokens).toBe(2_000 + 9 * 2);
  });
});

describe('the most that a transcription can consume', () => {
  it('is the time that its bytes last at 16 kbit/s, in whole milliseconds', () => {
    expect(maxUnitsOfTranscription(2_000)).toEqual({ ...NO_UNITS, audioMs: 1_000 });
    expect(maxUnitsOfTranscription(2_001).audioMs).toBe(1_001);
    expect(maxUnitsOfTranscription(0).audioMs).toBe(0);
  });
});
