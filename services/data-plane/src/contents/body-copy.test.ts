import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BodyCopy, MAX_TEXT_BYTES } from './body-copy.ts';

function memoryOf(maxBytes = Number.POSITIVE_INFINITY) {
  const memory = {
    taken: 0,
    take(bytes: number) {
      if (memory.taken + bytes > maxBytes) return false;
      memory.taken += bytes;
      return true;
    },
    giveBack(bytes: number) {
      memory.taken -= bytes;
    },
  };
  return memory;
}

/** Copies a body that arrives in pieces of this many bytes. */
function copyOf(body: string, pieceBytes = 1_000, contentType = 'application/json') {
  const copy = new BodyCopy(contentType, memoryOf());
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += pieceBytes) copy.add(bytes.subarray(at, at + pieceBytes));
  return copy.end();
}

const textOf = ({ text }: { text?: Buffer }) => text?.toString();

describe('the copy of a body', () => {
  it.each([1, 7, 1_023, 1_024, 1_025, 1_000_000])('is the body itself, in pieces of %i bytes', (size) => {
    const body = JSON.stringify({ text: 'Grüße, "Welt"\n'.repeat(2_000), list: [1, 'a', { b: null }] });
    expect(copyOf(body, size)).toMatchObject({ bytes: Buffer.byteLength(body), cut: false });
    expect(textOf(copyOf(body, size))).toBe(body);
  });

  it.each([1, 100, 1_024, 1_026, 50_000])('has the length of media, in pieces of %i bytes', (size) => {
    const data = randomBytes(30_000).toString('base64');
    const body = (url: string, raw: string) =>
      JSON.stringify({ image_url: { url }, source: { media_type: 'image/png', data: raw }, text: 'after' });
    const copied = copyOf(body(`data:image/png;base64,${data}`, data), size);
    const note = '[40000 characters of base64]';
    expect(textOf(copied)).toBe(body(`data:image/png;base64,${note}`, note));
    expect(copied.bytes).toBeGreaterThan(80_000);
  });

  it('has base64 that is short, and long words that are none', () => {
    const body = JSON.stringify({
      short: 'QUJD'.repeat(255),
      text: 'word '.repeat(1_000),
      url: `/a?${'b'.repeat(3_000)}`,
    });
    expect(textOf(copyOf(body))).toBe(body);
  });

  it('of many short strings costs about as much as that of a few long ones', () => {
    const timeOf = (text: string) => {
      const body = Buffer.from(text.repeat(200_000 / text.length));
      const times = Array.from({ length: 20 }, () => {
        const startedMs = performance.now();
        const copy = new BodyCopy('application/json', memoryOf());
        copy.add(body);
        return performance.now() - startedMs;
      });
      return Math.min(...times);
    };
    expect(timeOf('""')).toBeLessThan(10 * timeOf(`"${'words '.repeat(50)}"`));
  });

  it('ends at its bound, with a mark', () => {
    const copied = copyOf(JSON.stringify({ text: 'a '.repeat(MAX_TEXT_BYTES) }));
    expect(copied).toMatchObject({ cut: true, bytes: 2 * MAX_TEXT_BYTES + 11 });
    expect(copied.text?.length).toBe(MAX_TEXT_BYTES);
  });

  it.each(['audio/mpeg', 'application/octet-stream', 'image/png', ''])('has no text of %s', (contentType) => {
    const copied = copyOf('ID3…', 2, contentType);
    expect(copied).toEqual({ contentType, bytes: 6, cut: false });
  });

  it('takes memory as it grows, at most twice the body, and gives it back', () => {
    const memory = memoryOf();
    const copy = new BodyCopy('text/event-stream', memory);
    for (let chunk = 0; chunk < 100; chunk++) copy.add(Buffer.from('data: {}\n\n'.repeat(100)));
    expect(memory.taken).toBe(copy.heldBytes);
    expect(memory.taken).toBeLessThan(200_001);
    copy.drop();
    expect(memory.taken).toBe(0);
  });

  it('is lost without memory, and then holds none', () => {
    const memory = memoryOf(10_000);
    const copy = new BodyCopy('application/json', memory);
    copy.add(Buffer.alloc(20_000, 'a '));
    copy.add(Buffer.alloc(20_000, 'a '));
    expect([copy.isLost, memory.taken]).toEqual([true, 0]);
  });
});
