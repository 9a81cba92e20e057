import { expect, it } from 'vitest';
import { plausibleChatUsage } from './plausible-chat-usage.ts';

const CHAT = { maxOutputTokens: 50, choices: 1, mediaParts: 0, predictionBytes: 0 };

it('the plausible usage of a chat is twice the context, per choice for output', () => {
  expect(plausibleChatUsage({ ...CHAT, choices: 3 }, { contextLength: 1_000 })).toEqual({
    inputTokens: 2_000,
    outputTokens: 6_000,
  });
});

it('the plausible usage of a chat without a known context is twice the largest context', () => {
  expect(plausibleChatUsage(CHAT, { contextLength: undefined })).toEqual({
    inputTokens: 20_000_000,
    outputTokens: 20_000_000,
  });
});

it.each([{ webSearches: 1 }, { toolCalls: 1 }, { broughtTokens: 1 }])(
  'the usage of a chat with server tools has no bound: %j',
  (tools) => {
    expect(plausibleChatUsage({ ...CHAT, ...tools }, { contextLength: 1_000 })).toBeUndefined();
  },
);
