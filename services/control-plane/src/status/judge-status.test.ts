import { expect, it } from 'vitest';
import { judgeStatus } from './judge-status.ts';

it.each([
  [0, 0, 'operational'],
  [2, 1, 'operational'],
  [3, 2, 'operational'],
  [1_000, 49, 'operational'],
  [1_000, 50, 'degraded_performance'],
  [12, 3, 'partial_outage'],
  [13, 3, 'degraded_performance'],
  [100, 89, 'partial_outage'],
  [100, 90, 'major_outage'],
  [3, 3, 'major_outage'],
])('a model of %i requests with %i failures has the documented status', (requests, failures, status) => {
  expect(judgeStatus({ requests, failures, gaveUp: 0 })).toBe(status);
});

it.each([1, 2])('a model is not operational when all of %i requests failed', (requests) => {
  expect(judgeStatus({ requests, failures: requests, gaveUp: 0 })).toBe('degraded_performance');
});

it.each([
  [1, 1, 'degraded_performance'],
  [2, 1, 'operational'],
  [12, 2, 'operational'],
  [12, 3, 'degraded_performance'],
  [13, 3, 'operational'],
  [1_000, 1_000, 'degraded_performance'],
])('a model of %i requests with %i callers who gave up is degraded at worst', (requests, gaveUp, status) => {
  expect(judgeStatus({ requests, failures: 0, gaveUp })).toBe(status);
});

it('when some callers gave up, the status follows the responses that others got', () => {
  expect(judgeStatus({ requests: 10, failures: 4, gaveUp: 6 })).toBe('major_outage');
  expect(judgeStatus({ requests: 10, failures: 1, gaveUp: 9 })).toBe('degraded_performance');
});
