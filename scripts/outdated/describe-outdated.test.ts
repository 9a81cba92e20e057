import { expect, it } from 'vitest';
import { describeOutdated, howFarBehind, parseOutdated } from './describe-outdated.ts';

it.each([
  ['5.11.1', '6.0.0', '1 major release'],
  ['5.11.1', '8.0.0', '3 major releases'],
  ['1.7.7', '1.9.0', '2 minor releases'],
  ['1.7.7', '1.7.25', '18 patch releases'],
  ['1.0.0-beta.1', '1.0.0', 'another release'],
])('%s is behind %s by %s', (current, latest, text) => {
  expect(howFarBehind(current, latest).text).toBe(text);
});

it('names what is behind, by how much and who depends on it, the furthest first', () => {
  const report = {
    small: { current: '1.7.7', latest: '1.7.25', dependentPackages: [{ name: '@model-gateway/dashboard' }] },
    large: { current: '5.0.0', latest: '6.0.0', dependentPackages: [{ name: '@model-gateway/limits' }] },
  };
  expect(describeOutdated(parseOutdated(JSON.stringify(report)) ?? [])).toBe(
    'large  5.0.0  -> 6.0.0   1 major release    limits\nsmall  1.7.7  -> 1.7.25  18 patch releases  dashboard\n',
  );
  expect(describeOutdated([])).toBe('Everything is as new as the registry has it.\n');
});

it('takes no failure for a report', () => {
  expect(parseOutdated('')).toBeUndefined();
  expect(parseOutdated('{"error":{"code":"ENOTFOUND"}}')).toBeUndefined();
});
