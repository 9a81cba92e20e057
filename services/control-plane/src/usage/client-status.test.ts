import { expect, it } from 'vitest';
import { clientStatusOf } from './client-status.ts';

const attempt = { providerId: 'sim', durationMs: 1 };
const failed = (httpStatus: number | null, errorCode: string | null) => ({
  billingReason: 'upstream_failed_free',
  attempts: [{ ...attempt, httpStatus, errorCode }],
});

it.each([
  [
    { billingReason: 'completed', attempts: [{ ...attempt, httpStatus: 201, errorCode: null }] },
    200,
    undefined,
  ],
  [{ billingReason: 'estimated', attempts: [] }, 200, undefined],
  [failed(500, 'upstream_error'), 502, 'upstream_error'],
  [failed(200, 'upstream_error'), 502, 'upstream_error'],
  [failed(null, 'upstream_timeout'), 504, 'upstream_timeout'],
  [failed(429, 'upstream_rate_limited'), 429, 'upstream_rate_limited'],
  [failed(422, 'upstream_rejected'), 422, 'upstream_rejected'],
  [failed(500, 'a_code_of_another_release'), undefined, 'a_code_of_another_release'],
  [failed(null, null), undefined, undefined],
  [{ billingReason: 'aborted_partial', attempts: [] }, undefined, undefined],
])("a record without the caller's status, %j, yields %s %s", (row, status, code) => {
  const { clientStatus, clientErrorCode } = clientStatusOf({
    ...row,
    clientStatus: null,
    clientErrorCode: null,
  });
  expect([clientStatus, clientErrorCode]).toEqual([status, code]);
});

it('the status that the data plane reported is returned', () => {
  const row = { ...failed(500, 'upstream_error'), clientStatus: 503, clientErrorCode: 'overloaded' };
  expect(clientStatusOf(row)).toEqual({ clientStatus: 503, clientErrorCode: 'overloaded' });
  expect(clientStatusOf({ ...row, clientErrorCode: null })).toEqual({ clientStatus: 503 });
});
