import { describe, expect, it } from 'vitest';
import { geminiUnits } from './gemini-usage.ts';

describe('the usage of Gemini', () => {
  it('thoughts count as output, and what Gemini’s own tools have read as input', () => {
    const usage = {
      promptTokenCount: 9,
      toolUsePromptTokenCount: 3,
      candidatesTokenCount: 23,
      thoughtsTokenCount: 185,
    };
    expect(geminiUnits(usage)).toEqual({ inputTokens: 12, outputTokens: 208, reasoningTokens: 185 });
  });

  it('units of zero are left out, and tokens that only the total has count as output', () => {
    expect(geminiUnits({ promptTokenCount: 9, totalTokenCount: 9 })).toEqual({
      inputTokens: 9,
      outputTokens: 0,
    });
    expect(geminiUnits({ promptTokenCount: 9, candidatesTokenCount: 1, totalTokenCount: 20 })).toEqual({
      inputTokens: 9,
      outputTokens: 11,
    });
  });

  it('each token counts in one part only', () => {
    const of = (modality: string, tokenCount: number) => ({ modality, tokenCount });
    const usage = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      promptTokensDetails: [of('TEXT', 30), of('AUDIO', 50), of('IMAGE', 20)],
      cacheTokensDetails: [of('TEXT', 20), of('AUDIO', 40)],
      candidatesTokenCount: 30,
      thoughtsTokenCount: 10,
      candidatesTokensDetails: [of('IMAGE', 25), of('TEXT', 5)],
    };
    expect(geminiUnits(usage)).toEqual({
      inputTokens: 100,
      cachedInputTokens: 60,
      audioInputTokens: 10,
      imageInputTokens: 20,
      outputTokens: 40,
      reasoningTokens: 10,
      imageOutputTokens: 25,
    });
    const absurd = { promptTokenCount: 5, candidatesTokenCount: 5, promptTokensDetails: [of('AUDIO', 50)] };
    expect(geminiUnits(absurd)).toMatchObject({ inputTokens: 5, audioInputTokens: 5 });
  });

  it.each([
    ['nothing', undefined],
    ['only the tier', { trafficType: 'ON_DEMAND' }],
    ['only one side', { promptTokenCount: 9 }],
    ['an absurd count', { promptTokenCount: 9, candidatesTokenCount: -1 }],
    ['words', { promptTokenCount: 'about 9', candidatesTokenCount: 1 }],
  ])('there is no usage where there is %s', (_name, usage) => {
    expect(geminiUnits(usage)).toBeUndefined();
  });
});
