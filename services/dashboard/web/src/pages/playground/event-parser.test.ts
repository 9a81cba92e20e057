import { expect, test } from 'vitest';
import { EventParser } from './event-parser.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('an event is returned when it is complete, and not before', () => {
  const parser = new EventParser();
  expect(parser.push(bytes('data: one'))).toEqual([]);
  expect(parser.push(bytes('\n'))).toEqual([]);
  expect(parser.push(bytes('\ndata: two\n\ndata: thr'))).toEqual(['one', 'two']);
  expect(parser.push(bytes('ee\n\n'))).toEqual(['three']);
});

test.each(['\n', '\r\n', '\r'])('lines that end with %j are parsed wherever a chunk ends', (end) => {
  const stream = bytes(
    `: comment${end}event: x${end}data: a ü 🎈${end}data: b${end}${end}data:c${end}${end}`,
  );
  for (let cut = 0; cut <= stream.length; cut++) {
    const parser = new EventParser();
    const events = [...parser.push(stream.subarray(0, cut)), ...parser.push(stream.subarray(cut))];
    expect(events).toEqual(['a ü 🎈\nb', 'c']);
  }
});

test('a character that arrives byte by byte is decoded', () => {
  const parser = new EventParser();
  const events = Array.from(bytes('data: ⚖️🎈\r\n\r\n')).flatMap((byte) => parser.push(Uint8Array.of(byte)));
  expect(events).toEqual(['⚖️🎈']);
});

test('an LF after a CR LF in two chunks ends another line', () => {
  const parser = new EventParser();
  expect(['data: a', '\r', '\n', '\n'].flatMap((piece) => parser.push(bytes(piece)))).toEqual(['a']);
});

test('keep-alive comments are no events', () => {
  expect(new EventParser().push(bytes(': keep-alive\n\n: keep-alive\n\n'))).toEqual([]);
});

test('an event that the end of the stream cuts off is dropped', () => {
  expect(new EventParser().push(bytes('data: {"half":'))).toEqual([]);
});
