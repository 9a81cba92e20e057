import { expect, it } from 'vitest';
import { z } from 'zod';
import { checkJson } from './check-json.ts';

const HOSTILE = { length: { toString: 1, valueOf: 1 } };

it.each([
  ['text', z.string().min(1)],
  ['a list', z.array(z.unknown()).max(3)],
  ['text in an object', z.object({ name: z.string().max(5) })],
])('an object whose length has no primitive value is refused instead of %s', (_what, schema) => {
  const { error, success } = checkJson<unknown>(
    schema,
    schema instanceof z.ZodObject ? { name: HOSTILE } : HOSTILE,
  );
  expect(success).toBe(false);
  expect(error?.issues[0]?.message).toContain('"length"');
});

it('other values have the result of their schema, and other errors are thrown', () => {
  expect(checkJson(z.string(), 'x')).toEqual({ success: true, data: 'x' });
  expect(checkJson(z.object({ a: z.string() }), { a: 1 }).error?.issues[0]?.path).toEqual(['a']);
  const failing = z.string().refine(() => {
    throw new RangeError('broken');
  });
  expect(() => checkJson(failing, 'x')).toThrow(RangeError);
});
