import { UNITS, type Unit } from '@model-gateway/shared/units';
import type { ShownUnits } from '../../../../wire/usage.ts';
import { countOf, formatCountShort } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-duration.ts';

/** Short forms of units whose full text, such as `1,234,567 tokens`, is too long. */
const SHORT: { [Name in Unit]?: (count: number) => string } = {
  inputTokens: (count) => `${formatCountShort(count)} in`,
  outputTokens: (count) => `${formatCountShort(count)} out`,
  characters: (count) => `${formatCountShort(count)} characters`,
  audioMs: (seconds) => `${formatDuration(seconds * 1000)} audio`,
};

/** Formats usage: `1.2M in · 340K out`, `12 images`; empty for none. */
export function formatUnits(units: ShownUnits): string {
  return UNITS.filter(({ shown, partOf }) => partOf === undefined && units[shown] > 0)
    .map(({ unit, shown, one }) => SHORT[unit]?.(units[shown]) ?? countOf(units[shown], one))
    .join(' · ');
}
