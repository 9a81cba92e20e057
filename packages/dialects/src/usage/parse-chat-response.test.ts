import { expect, it } from 'vitest';
import { parseChatChunk } from './parse-chat-response.ts';

const USAGE = { prompt_tokens: 1, completion_tokens: 2 };

it('the usage of a stream is found in the choice, where Moonshot sends it', () => {
  const choices = [{ index: 0, delta: {}, finish_reason: 'stop', usage: USAGE }];
  expect(parseChatChunk(JSON.stringify({ choices })).usage).toEqual(USAGE);
  expect(parseChatChunk(JSON.stringify({ choices, usage: null })).usage).toEqual(USAGE);
});

it('a chunk with usage, or without any, stays unchanged', () => {
  const own = { prompt_tokens: 9, completion_tokens: 9 };
  for (const chunk of [
    { choices: [], usage: own },
    { choices: [{ usage: USAGE }], usage: own },
    { choices: [{ index: 0 }] },
  ])
    expect(parseChatChunk(JSON.stringify(chunk))).toEqual(chunk);
});
