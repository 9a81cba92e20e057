import { describe, expect, it } from 'vitest';
import { countTokens, loadTokenizer, slicesOf, tokenPieces } from './tokenizer.ts';

await loadTokenizer();

describe('the tokenizer', () => {
  it.each([
    'The quick brown fox.',
    '<|endoftext|> and <|im_start|> are only text here',
    'наконец 終わり 🧑‍🚀🏳️‍🌈 ﷽ naïve',
    'x'.repeat(9_001),
    '🧪'.repeat(3_000),
    'word '.repeat(3_000),
    '',
  ])('cuts a text into pieces that have its tokens in sum: %.30s', (text) => {
    const pieces = [...tokenPieces(text)];
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(pieces.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(countTokens(text));
  });

  it('counts as the o200k encoding does', () => {
    expect(countTokens('hello world')).toBe(2);
    expect(countTokens('Why is the sky blue?')).toBe(6);
  });

  it('is not affected by a reader that stops inside a character', () => {
    const cut = tokenPieces('🧑‍🚀🏳️‍🌈🦤');
    cut.next();
    cut.return(undefined);
    expect([...tokenPieces('naïve 🧪')].map(({ text }) => text).join('')).toBe('naïve 🧪');
  });

  it('counts megabytes without spaces in bounded time, in proportion', () => {
    const timed = (characters: number) => {
      const before = process.cpuUsage();
      const tokens = countTokens('a'.repeat(characters));
      return { tokens, tookMs: process.cpuUsage(before).user / 1_000 };
    };
    const { tookMs: tenthMs } = timed(400_000);
    const { tokens, tookMs } = timed(4_000_000);
    expect(tookMs).toBeLessThan(1_000 + 50 * tenthMs);
    expect(tokens).toBeGreaterThan(400_000);
    expect(tokens).toBeLessThan(600_000);
  });

  it('cuts slices before spaces and around surrogate pairs', () => {
    expect(
      [...slicesOf(`${'a'.repeat(3_998)} bc ${'d'.repeat(10)}`)].map((slice) => slice.slice(0, 3)),
    ).toEqual(['aaa', ' bc']);
    for (const slice of slicesOf(`a${'🧪'.repeat(5_000)}`)) expect(slice.isWellFormed()).toBe(true);
  });
});
