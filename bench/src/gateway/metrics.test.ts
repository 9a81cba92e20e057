import { expect, it } from 'vitest';
import { sumOfMetric } from './metrics.ts';

it('the sum of a metric covers all its labels, and no metric whose name only begins like its own', () => {
  const text = [
    '# HELP calls_total Calls.',
    'calls_total{method="A",status="OK"} 3',
    'calls_total{method="B",status="OK"} 4',
    'calls_total_seconds 100',
    'lag_seconds 0.25',
  ].join('\n');
  expect(sumOfMetric(text, 'calls_total')).toBe(7);
  expect(sumOfMetric(text, 'calls_total', 'method="B"')).toBe(4);
  expect(sumOfMetric(text, 'lag_seconds')).toBe(0.25);
  expect(sumOfMetric(text, 'absent')).toBe(0);
});
