import { BrokenEventStream, MAX_EVENT_BYTES, VERDICTS } from '@model-gateway/dialects';
import { heldDuring } from '@model-gateway/test-kit/bounded-reads';
import { describe, expect, it } from 'vitest';
import { SseParser } from './sse-events.ts';

const parse = (...chunks: (string | Buffer)[]) => {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.push(Buffer.from(chunk)));
};

describe('server-sent events', () => {
  it('end at a blank line, whichever line ends the provider uses', () => {
    expect(parse('data: a\n\ndata:b\n\n')).toEqual(['a', 'b']);
    expect(parse('data: a\r\n\r\ndata: b\r\n\r\n')).toEqual(['a', 'b']);
    expect(parse('data: a\r\rdata: b\r\r')).toEqual(['a', 'b']);
  });

  it('may begin with a byte order mark', () => {
    expect(parse('\uFEFFdata: a\n\ndata: \uFEFFb\n\n')).toEqual(['a', '\uFEFFb']);
    expect(parse('\n\uFEFFdata: a\n\n')).toEqual([]);
  });

  it('are parsed alike however the bytes are cut', () => {
    const text = ': hi\r\nevent: x\r\ndata: {"é":"😀"}\r\n\r\nid: 1\n\ndata: 1\ndata: 2\n\ndata\n\n';
    const whole = parse(text);
    expect(whole).toEqual(['{"é":"😀"}', '1\n2', '']);
    const bytes = Buffer.from(text);
    for (let cut = 1; cut < bytes.length; cut++) {
      expect(parse(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(whole);
    }
    expect(parse(...Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(whole);
  });

  it('that are too long are rejected, whether in one line or many', () => {
    const half = Buffer.alloc(MAX_EVENT_BYTES / 2 + 16, 'x');
    const givenUp = expect.objectContaining({ verdict: VERDICTS.caused_by_request });
    expect(() => parse('data: ', half, half)).toThrow(givenUp);
    const line = `data: ${'x'.repeat(1_000)}\n`;
    expect(() => parse(line.repeat(MAX_EVENT_BYTES / 1_000))).toThrow(givenUp);
  });

  it('take little memory until they end, also if their lines are short', async () => {
    const lines = Buffer.from('data:x\n'.repeat(1_000));
    const { value: parser, heldMiB } = await heldDuring(async () => {
      const parser = new SseParser();
      for (let bytes = lines.length; bytes < MAX_EVENT_BYTES; bytes += lines.length) parser.push(lines);
      return parser;
    });
    expect(heldMiB).toBeLessThan(20);
    expect(parser.push(Buffer.from('\n'))).toEqual([expect.stringMatching(/^x(?:\nx)+$/)]);
  });

  it('must be UTF-8, and may contain replacement characters', () => {
    expect(parse('data: \uFFFD\n\n')).toEqual(['\uFFFD']);
    expect(() => parse(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a]))).toThrow(BrokenEventStream);
  });
});
