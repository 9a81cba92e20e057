import { expect, it } from 'vitest';
import { maxUsageOfChat } from './plausible-chat-usage.ts';

const CHAT = { maxOutputTokens: 50, choices: 1, mediaParts: 0, predictionBytes: 0 };

it('is what the context has room for, twice, and for each of the answers', () => {
  expect(maxUsageOfChat({ ...CHAT, choices: 3 }, { contextLength: 1_000 })).toEqual({
    inputTokens: 2_000,
    outputTokens: 6_000,
  });
});

it('is what the largest context has room for where the catalog does not say it', () => {
  expect(maxUsageOfChat(CHAT, { contextLength: undefined })).toEqual({
    inputTokens: 20_000_000,
    outputTokens: 20_000_000,
  });
});

it.each([{ webSearches: 1 }, { toolCalls: 1 }, { broughtTokens: 1 }])(
  'has no bound where the provider may read the context again and again: %j',
  (tools) => {
    expect(maxUsageOfChat({ ...CHAT, ...tools }, { contextLength: 1_000 })).toBeUndefined();
  },
);
