import {
  type ProviderTraits,
  presetTraits,
  TRAIT_PRESETS,
  type TraitPresetName,
} from '../../packages/shared/src/index.ts';
import { markdownTable } from './markdown-table.ts';

/** A table of the presets: the traits in which each differs from `generic`, its hosts, and the sources. */
export function presetsTable(): string {
  const rows = Object.entries(TRAIT_PRESETS).map(([name, { hosts, source, traits }]) => [
    `\`${name}\``,
    hosts.map((host) => `\`${host}\``).join(', '),
    listed(traits),
    source,
  ]);
  return markdownTable([['preset', 'default for', 'differs from `generic` in', 'source'], ...rows]);
}

/** A table of the traits, with their values in `generic`. */
export function traitsTable(descriptions: Readonly<Record<string, string>>): string {
  const generic: TraitPresetName = 'generic';
  const rows = Object.entries(presetTraits(generic)).map(([name, value]) => [
    `\`${name}\``,
    `\`${JSON.stringify(value)}\``,
    descriptions[name] ?? '',
  ]);
  return markdownTable([['trait', '`generic`', 'meaning'], ...rows]);
}

function listed(traits: Partial<ProviderTraits>): string {
  return Object.entries(traits)
    .map(([name, value]) => `\`${name}: ${String(value)}\``)
    .join(', ');
}
