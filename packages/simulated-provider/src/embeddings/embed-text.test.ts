import { describe, expect, it } from 'vitest';
import { embedText, embedTokens, encodeBase64, similarity } from './embed-text.ts';

const embed = (text: string) => embedText(text, 256);

describe('an embedding', () => {
  it.each(['hello', 'a', ' ', '日本', 'x'.repeat(100_000)])(
    'of %.10s is a unit vector, always the same',
    (text) => {
      const vector = embed(text);
      expect(similarity(vector, vector)).toBeCloseTo(1, 4);
      expect(embed(text)).toEqual(vector);
    },
  );

  it('is closer to a similar text than to another one', () => {
    const cat = embed('The cat sat on the mat');
    expect(similarity(cat, embed('A cat is sitting on a mat'))).toBeGreaterThan(
      similarity(cat, embed('Quarterly revenue grew by 4 percent')),
    );
  });

  it('has as many dimensions as asked for, also of token numbers', () => {
    expect(embedText('hello', 1)).toHaveLength(1);
    expect(embedTokens([15339, 1917], 1_536)).toHaveLength(1_536);
  });

  it('is encoded as little-endian float32', () => {
    expect(encodeBase64(Float32Array.of(1, -2))).toBe(
      Buffer.from('0000803f000000c0', 'hex').toString('base64'),
    );
  });
});
