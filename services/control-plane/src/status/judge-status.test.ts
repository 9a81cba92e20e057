import { describe, expect, it } from 'vitest';
import { judgeStatus } from './judge-status.ts';

describe('the status of a model', () => {
  it.each([
    [0, 0, 'operational'],
    [1, 1, 'operational'],
    [2, 2, 'operational'],
    [1_000, 49, 'operational'],
    [1_000, 50, 'degraded_performance'],
    [12, 3, 'partial_outage'],
    [13, 3, 'degraded_performance'],
    [100, 89, 'partial_outage'],
    [100, 90, 'major_outage'],
    [3, 3, 'major_outage'],
  ])('of %i requests with %i failures is as documented', (requests, failures, status) => {
    expect(judgeStatus({ requests, failures })).toBe(status);
  });
});
