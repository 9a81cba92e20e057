import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newRequestId } from './new-request-id.ts';

describe('an id of a request', () => {
  it('has the form that the API promises', () => {
    expect(newRequestId()).toMatch(/^req_[0-9A-Za-z]{24}$/);
    expect(newRequestId(0)).toMatch(/^req_00000000[0-9A-Za-z]{16}$/);
    expect(newRequestId(62 ** 8 - 1)).toMatch(/^req_zzzzzzzz[0-9A-Za-z]{16}$/);
  });

  it('sorts by its time, whatever follows', () => {
    const ms = fc.integer({ min: 0, max: 62 ** 8 - 1 });
    fc.assert(
      fc.property(ms, ms, (a, b) => {
        fc.pre(a !== b);
        expect(newRequestId(a) < newRequestId(b)).toBe(a < b);
      }),
    );
  });

  it('never comes again within a millisecond', () => {
    const nowMs = Date.now();
    expect(new Set(Array.from({ length: 10_000 }, () => newRequestId(nowMs))).size).toBe(10_000);
  });
});
