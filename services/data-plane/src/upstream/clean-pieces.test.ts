import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanPieces } from './clean-pieces.ts';

const SECRET = 'sk-0123456789abcdef/+=';
/** A secret of the same provider that was not used. */
const OTHER_SECRET = `${SECRET}-and-more`;

function cut(bytes: Buffer, pieceBytes: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  return pieces;
}

async function clean(json: string, pieceBytes: number, isJson = true): Promise<string> {
  return Buffer.concat(
    await cleanPieces(cut(Buffer.from(json), pieceBytes), [OTHER_SECRET, SECRET], isJson),
  ).toString();
}

/** Every character of it may be escaped. */
const written = fc.array(fc.nat(3), { minLength: SECRET.length, maxLength: SECRET.length }).map((ways) =>
  [...SECRET]
    .map((character, index) => {
      const code = character.charCodeAt(0).toString(16).padStart(4, '0');
      if (ways[index] === 0) return `\\u${code}`;
      if (ways[index] === 1) return `\\u${code.toUpperCase()}`;
      return character === '/' ? '\\/' : character;
    })
    .join(''),
);

describe('a credential of ours in an answer that is passed on in pieces', () => {
  it('is removed wherever it stands, however it is escaped and cut, and nothing else is changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            written,
            fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text).slice(1, -1)),
          ),
        ),
        fc.integer({ min: 1, max: 50 }),
        async (parts, pieceBytes) => {
          const json = `{"a":"${parts.join('')}"}`;
          const before: { a: string } = JSON.parse(json);
          const after: { a: string } = JSON.parse(await clean(json, pieceBytes));
          expect(after.a).toBe(before.a.replaceAll(SECRET, '[redacted]'));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('an escaped backslash is no escape', async () => {
    expect(await clean('{"a":"\\\\u0073k \\\\/ \\u00e9 \\u0022"}', 3)).toBe(
      '{"a":"\\\\u0073k \\\\/ \\u00e9 \\u0022"}',
    );
  });

  it('is searched for in text as it is written', async () => {
    expect(await clean(`a ${SECRET} b \\/`, 5, false)).toBe('a [redacted] b \\/');
  });

  it('is removed with all others of the provider, also where one is how another begins', async () => {
    expect(await clean(`{"a":"${OTHER_SECRET}, ${SECRET}"}`, 7)).toBe('{"a":"[redacted], [redacted]"}');
  });

  it('a word that is no secret may stand there', async () => {
    const pieces = [Buffer.from('ollama')];
    expect(await cleanPieces(pieces, ['ollama'], true)).toBe(pieces);
  });
});
