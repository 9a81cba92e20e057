import { completionsRequest } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { Echo } from './echo.ts';

const PROMPT = `Repeat this, and go on: ${'é'.repeat(500)}`;

/** @returns how many bytes of these texts are no output */
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

it.each<[string, unknown, string[], number]>([
  ['another text', PROMPT, ['Once upon a time ', 'x'.repeat(5_000)], 0],
  ['a text that begins like the prompt', PROMPT, ['Repeat', ' after me ', 'x'.repeat(5_000)], 6],
  ['the text of tokens', [1, 2, 3], ['a b c and more'], 0],
  ['a choice that was not asked for', PROMPT, [PROMPT], 0],
])('%s is output, since many providers ignore echo', (name, prompt, texts, bytes) => {
  expect(echoedBytes(prompt, texts, name.startsWith('a choice') ? 9 : 0)).toBe(bytes);
});
