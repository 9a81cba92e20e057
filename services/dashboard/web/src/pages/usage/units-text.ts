import type { UsageSums } from '../../../../wire/usage.ts';
import { countOf, formatCountShort } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';

/**
 * What was used, in the units in which it is metered: `1.2M in · 340K out`, `12 images`. Empty for nothing.
 */
export function unitsText(units: Omit<UsageSums, 'requests' | 'costUsd'>): string {
  const { inputTokens, outputTokens, images, characters, audioSeconds, searchUnits } = units;
  const parts: string[] = [];
  if (inputTokens > 0) parts.push(`${formatCountShort(inputTokens)} in`);
  if (outputTokens > 0) parts.push(`${formatCountShort(outputTokens)} out`);
  if (images > 0) parts.push(countOf(images, 'image'));
  if (characters > 0) parts.push(`${formatCountShort(characters)} characters`);
  if (audioSeconds > 0) parts.push(`${formatDuration(audioSeconds * 1000)} audio`);
  if (searchUnits > 0) parts.push(countOf(searchUnits, 'search unit'));
  return parts.join(' · ');
}
