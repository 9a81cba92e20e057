import { expect, it } from 'vitest';
import {
  formatTraceparent,
  newSpanId,
  newTraceId,
  parseTraceparent,
  parseTracestate,
} from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it('reads what it has written, with both decisions about sampling', () => {
  for (const isSampled of [true, false]) {
    const context = { traceId: newTraceId(), spanId: newSpanId(), isSampled };
    expect(parseTraceparent(formatTraceparent(context))).toEqual(context);
  }
  expect(formatTraceparent({ traceId: TRACE, spanId: SPAN, isSampled: true })).toBe(`00-${TRACE}-${SPAN}-01`);
});

it('joins the traces of later versions, and reads only the flag that it knows', () => {
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-03-more`)).toMatchObject({ traceId: TRACE, isSampled: true });
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-02`)).toMatchObject({ isSampled: false });
});

it.each([
  undefined,
  '',
  7,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-1`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-${'x'.repeat(10_000)}`,
])('starts a trace of its own for the invalid header %j', (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

it('keeps a tracestate unless it is too long or malformed', () => {
  for (const valid of ['vendor=a,other=b', 't61@vendor-1=a b;c ,, o=1'])
    expect(parseTracestate(valid)).toBe(valid);
  for (const malformed of ['v', 'v=', '=v', 'V=1', 'v=1=2', 'v=\u00e9'])
    expect(parseTracestate(malformed), malformed).toBeUndefined();
  expect(parseTracestate(Array.from({ length: 33 }, (_, at) => `v${at}=1`).join())).toBeUndefined();
  expect(parseTracestate('v='.padEnd(513, 'x'))).toBeUndefined();
  expect(parseTracestate('v=\u0001')).toBeUndefined();
});

it('makes ids that differ, of the right length, also beyond its supply of random bytes', () => {
  const ids = new Set(Array.from({ length: 2_000 }, newTraceId));
  expect(ids.size).toBe(2_000);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{32}$/);
  expect(newSpanId()).toMatch(/^[\da-f]{16}$/);
});
