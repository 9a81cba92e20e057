import { perUnit } from '@model-gateway/shared/units';
import { expect, test } from 'vitest';
import { formatUnits } from './format-units.ts';

const none = perUnit('shown', () => 0);

test('only used units are formatted', () => {
  expect(formatUnits({ ...none, inputTokens: 1_234_567, outputTokens: 340 })).toBe('1.2M in · 340 out');
  expect(formatUnits({ ...none, images: 1 })).toBe('1 image');
  expect(formatUnits({ ...none, audioSeconds: 90 })).toBe('1 min 30 s audio');
  expect(formatUnits({ ...none, searchUnits: 2, characters: 50_000 })).toBe(
    '50K characters · 2 search units',
  );
  expect(formatUnits(none)).toBe('');
});
