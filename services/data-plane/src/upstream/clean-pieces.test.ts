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

describe('a credential of the gateway in a response in pieces', () => {
  it('is removed however it is escaped and cut, and nothing else changes', async () => {
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

  it('is not seen in text after an escaped backslash', async () => {
    expect(await clean('{"a":"\\\\u0073k \\\\/ \\u00e9 \\u0022"}', 3)).toBe(
      '{"a":"\\\\u0073k \\\\/ \\u00e9 \\u0022"}',
    );
  });

  it('is removed from plain text, which has no escapes', async () => {
    expect(await clean(`a ${SECRET} b \\/`, 5, false)).toBe('a [redacted] b \\/');
  });

  it('is removed with the other credentials of the provider, even if one is the prefix of another', async () => {
    expect(await clean(`{"a":"${OTHER_SECRET}, ${SECRET}"}`, 7)).toBe('{"a":"[redacted], [redacted]"}');
  });

  it('stays if it is too short to be a secret', async () => {
    const pieces = [Buffer.from('ollama')];
    expect(await cleanPieces(pieces, ['ollama'], true)).toBe(pieces);
  });
});
