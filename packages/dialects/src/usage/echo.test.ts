import { completionsRequest } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { Echo } from './echo.ts';

const PROMPT = `Repeat this, and go on: ${'é'.repeat(500)}`;

/** Returns the bytes of these texts that are not billed as output. */
function echoedBytes(prompt: unknown, texts: readonly string[], index = 0): number {
  const { echoed } = completionsRequest.parse({ model: 'a/b', prompt, n: 2, echo: true });
  if (echoed === undefined) throw new Error('the request asks for an echo');
  const echo = new Echo(echoed);
  return texts.reduce((sum, text) => sum + echo.take(index, text, Buffer.byteLength(text)), 0);
}

it.each<[string, string[]]>([
  ['in one piece', [`${PROMPT}more`]],
  ['in two pieces', [PROMPT, 'more']],
  ['in pieces within its start', [PROMPT.slice(0, 3), '', PROMPT.slice(3, 70), `${PROMPT.slice(70)}more`]],
])('a prompt that comes %s is no output', (_name, texts) => {
  expect(echoedBytes(PROMPT, texts)).toBe(Buffer.byteLength(PROMPT));
  expect(echoedBytes(['a', PROMPT], texts, 3)).toBe(Buffer.byteLength(PROMPT));
});

it('a large text, of which only the length is known, is taken as the echo', () => {
  const { echoed } = completionsRequest.parse({ model: 'a/b', prompt: PROMPT, echo: true });
  if (echoed === undefined) throw new Error('the request asks for an echo');
  const echo = new Echo(echoed);
  const bytes = Buffer.byteLength(PROMPT);
  expect([echo.take(0, 400, 400), echo.take(0, 'the rest', bytes), echo.take(0, 'more', 4)]).toEqual([
    ...[400, bytes - 400, 0],
  ]);
});

it.each<[string, unknown, string[], number]>([
  ['a text that does not begin like the prompt', PROMPT, ['Once upon a time ', 'x'.repeat(5_000)], 0],
  ['an echo of tokens, whose text is not known', [1, 2, 3], ['a b c and more'], 0],
  ['a choice that was not asked for', PROMPT, [PROMPT], 9],
])('%s counts as output', (_name, prompt, texts, index) => {
  expect(echoedBytes(prompt, texts, index)).toBe(0);
});

it('only the part of a text that matches its prompt counts as an echo', () => {
  expect(echoedBytes(PROMPT, ['Repeat', ' after me ', 'x'.repeat(5_000)])).toBe(6);
});
