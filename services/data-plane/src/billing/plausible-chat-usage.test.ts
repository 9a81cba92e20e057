import { expect, it } from 'vitest';
import { plausibleChatUsage } from './plausible-chat-usage.ts';

const CHAT = {
  maxOutputTokens: 50,
  choices: 1,
  mediaParts: 0,
  fileParts: 0,
  unsizedFiles: 0,
  mediaBytes: 0,
  fileBytes: 0,
  predictionBytes: 0,
};
const RESERVED = 100;

it('the plausible usage of a chat is twice the context, per choice for output', () => {
  expect(plausibleChatUsage({ ...CHAT, choices: 3 }, RESERVED, { contextLength: 1_000 })).toEqual({
    inputTokens: 2_000,
    outputTokens: 6_000,
  });
});

it('the plausible usage of a chat is what its request can hold if the catalog says less of the context', () => {
  const chat = { ...CHAT, maxOutputTokens: 64_000, choices: 2 };
  expect(plausibleChatUsage(chat, 900_000, { contextLength: 1_000 })).toEqual({
    inputTokens: 900_000,
    outputTokens: 128_000,
  });
});

it('the plausible usage of a chat without a known context, or with a file, is twice the largest context', () => {
  const most = { inputTokens: 20_000_000, outputTokens: 20_000_000 };
  expect(plausibleChatUsage(CHAT, RESERVED, { contextLength: undefined })).toEqual(most);
  const withFile = { ...CHAT, mediaParts: 1, fileParts: 1 };
  expect(plausibleChatUsage(withFile, RESERVED, { contextLength: 1_000 })).toEqual({
    ...most,
    outputTokens: 2_000,
  });
});

it.each([{ webSearches: 1 }, { toolCalls: 1 }, { broughtTokens: 1 }])(
  'the usage of a chat with server tools has no bound: %j',
  (tools) => {
    expect(plausibleChatUsage({ ...CHAT, ...tools }, RESERVED, { contextLength: 1_000 })).toBeUndefined();
  },
);
