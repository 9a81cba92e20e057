import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivalAt, arrivalOf } from './arrival.ts';
import { newRequestId } from './new-request-id.ts';

const ms = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2080, 0, 1) });

describe('the arrival of a request', () => {
  it('is told by its id', () => {
    fc.assert(fc.property(ms, (at) => expect(arrivalOf(newRequestId(at))).toBe(arrivalAt(at))));
  });

  it('sorts like the time', () => {
    fc.assert(fc.property(ms, ms, (a, b) => expect(arrivalAt(a) < arrivalAt(b)).toBe(a < b)));
  });

  it.each(['', 'req_', 'req_1', 'req_old', 'req_z0VbkXrXs0123456789abcd', 'gen_0VbkXrXs'])(
    'is not told by %j',
    (id) => {
      expect(arrivalOf(id)).toBe('');
    },
  );
});
