import { expect, test } from 'vitest';
import { formatLiteral } from './format-literal.ts';

const value = { role: 'user', 'content-type': null, stream: true, list: [] };

test('a short value is on one line, in the syntax of its language', () => {
  expect(formatLiteral(value, 'json')).toBe(
    '{ "role": "user", "content-type": null, "stream": true, "list": [] }',
  );
  expect(formatLiteral(value, 'python')).toBe(
    '{"role": "user", "content-type": None, "stream": True, "list": []}',
  );
  expect(formatLiteral(value, 'javascript')).toBe(
    '{ role: "user", "content-type": null, stream: true, list: [] }',
  );
});

test('a long value has a line for each part, and JSON remains valid', () => {
  const long = { text: 'word '.repeat(30), more: [{ a: 1 }] };
  expect(JSON.parse(formatLiteral(long, 'json'))).toEqual(long);
  expect(formatLiteral(long, 'javascript').split('\n')).toHaveLength(4);
});
