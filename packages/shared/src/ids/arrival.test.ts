import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivalAt, arrivalOf, arrivedAtMs } from './arrival.ts';
import { newRequestId } from './new-request-id.ts';

const ms = fc.integer({ min: 0, max: 62 ** 8 - 1 });

describe('the arrival of a request', () => {
  it('can be read from the id of the request', () => {
    fc.assert(
      fc.property(ms, (at) => {
        expect(arrivalOf(newRequestId(at))).toBe(arrivalAt(at));
      }),
    );
  });

  it('can be read as a time', () => {
    fc.assert(
      fc.property(ms, (at) => {
        expect(arrivedAtMs(newRequestId(at))).toBe(at);
      }),
    );
    expect(arrivedAtMs('req_plan_1')).toBeUndefined();
    expect(arrivedAtMs('req_')).toBeUndefined();
  });

  it('sorts like the time', () => {
    fc.assert(
      fc.property(ms, ms, (a, b) => {
        expect(arrivalAt(a) < arrivalAt(b)).toBe(a < b);
      }),
    );
  });
});
