import { expect, test } from 'vitest';
import { EventParser } from './event-parser.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('each event is told once it is complete, and not before', () => {
  const parser = new EventParser();
  expect(parser.push(bytes('data: one'))).toEqual([]);
  expect(parser.push(bytes('\n'))).toEqual([]);
  expect(parser.push(bytes('\ndata: two\n\ndata: thr'))).toEqual(['one', 'two']);
  expect(parser.push(bytes('ee\n\n'))).toEqual(['three']);
});

test.each(['\n', '\r\n', '\r'])('the line end %j is understood wherever a chunk ends', (end) => {
  const stream = bytes(
    `: comment${end}event: x${end}data: a ü 🎈${end}data: b${end}${end}data:c${end}${end}`,
  );
  for (let cut = 0; cut <= stream.length; cut++) {
    const parser = new EventParser();
    const told = [...parser.push(stream.subarray(0, cut)), ...parser.push(stream.subarray(cut))];
    expect(told).toEqual(['a ü 🎈\nb', 'c']);
  }
});

test('a character that comes byte by byte stays whole', () => {
  const parser = new EventParser();
  const told = Array.from(bytes('data: ⚖️🎈\r\n\r\n')).flatMap((byte) => parser.push(Uint8Array.of(byte)));
  expect(told).toEqual(['⚖️🎈']);
});

test('a line end after CR LF in pieces is one more', () => {
  const parser = new EventParser();
  expect(['data: a', '\r', '\n', '\n'].flatMap((piece) => parser.push(bytes(piece)))).toEqual(['a']);
});

test('comments that keep the connection alive are no events', () => {
  expect(new EventParser().push(bytes(': keep-alive\n\n: keep-alive\n\n'))).toEqual([]);
});

test('an event that the stream breaks off in is not told', () => {
  expect(new EventParser().push(bytes('data: {"half":'))).toEqual([]);
});
