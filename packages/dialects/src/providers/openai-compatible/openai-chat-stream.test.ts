import { presetTraits } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { recordingCaller } from '../../../tests/recording-caller.ts';
import { OpenAiChatStream } from './openai-chat-stream.ts';
import { placeUsage } from './place-usage.ts';

const chunk = (index: number, finish_reason: string | null) =>
  JSON.stringify({ choices: [{ index, delta: {}, finish_reason }] });
const generic = presetTraits('generic');

it('a stream of a server without [DONE] is complete once every choice has ended', () => {
  for (const done_marker of [false, true]) {
    const traits = { ...generic, done_marker };
    const { caller } = recordingCaller();
    const stream = new OpenAiChatStream(caller, { choices: 2, traits });
    stream.translate(chunk(0, 'stop'));
    stream.translate(chunk(1, null));
    expect(stream.mayEnd).toBe(false);
    stream.translate(chunk(1, 'stop'));
    expect(stream.mayEnd).toBe(!done_marker);
    expect(stream.end()).toBe('end');
  }
});

it('usage and cached tokens are read where the server puts them', () => {
  const placed = placeUsage({ usage_at: 'choices.0.meta.usage', cached_tokens_at: 'cache.hits' });
  const usage = { prompt_tokens: 9, completion_tokens: 1, cache: { hits: 4 } };
  expect(placed({ choices: [{ meta: { usage } }] }).usage).toEqual({
    ...usage,
    prompt_tokens_details: { cached_tokens: 4 },
  });
  const other = { choices: [], usage: { prompt_tokens: 1 } };
  expect(placed(other)).toEqual(other);
  expect(placed({ choices: [] })).toEqual({ choices: [] });
});
