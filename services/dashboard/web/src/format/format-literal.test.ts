import { expect, test } from 'vitest';
import { formatLiteral } from './format-literal.ts';

const value = { role: 'user', 'content-type': null, stream: true, list: [] };

test('short values are on one line, in the words of the language', () => {
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

test('long values have a line for each part, and JSON stays JSON', () => {
  const long = { text: 'word '.repeat(30), more: [{ a: 1 }] };
  expect(JSON.parse(formatLiteral(long, 'json'))).toEqual(long);
  expect(formatLiteral(long, 'javascript').split('\n')).toHaveLength(4);
});
