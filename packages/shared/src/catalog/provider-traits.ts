import { z } from 'zod';
import { type ProviderTraits, traitMembers } from './trait-members.ts';
import { TRAIT_PRESETS, type TraitPresetName } from './trait-presets.ts';

const GENERIC: ProviderTraits = {
  output_limit: 'max_completion_tokens',
  reasoning_back: 'reasoning_details',
  reasoning_required: false,
  cached_tokens_at: 'prompt_tokens_details.cached_tokens',
  usage_at: 'usage',
  stop_max: 1_000,
  tool_name_max: 1_000,
  schema_keywords: [],
  developer_role: true,
  system_first: false,
  strict: false,
  store: true,
  stream_usage: true,
  done_marker: true,
};

const NAMES: ReadonlySet<string> = new Set(Object.keys(TRAIT_PRESETS));
function isPresetName(name: string): name is TraitPresetName {
  return NAMES.has(name);
}

const presetName = z.string().refine(isPresetName, {
  error: `must be one of ${[...NAMES].join(', ')}`,
});

const TRAITS_OF_FILE = traitMembers.partial().extend({ preset: presetName.optional() });
/** `traits` of a provider in the catalog file: a preset, or single traits that differ from one. */
export const providerTraits = z.union([presetName, TRAITS_OF_FILE]);
export type NamedTraits = z.infer<typeof providerTraits>;

/** Every trait of a preset. */
export function presetTraits(name: TraitPresetName): ProviderTraits {
  return { ...GENERIC, ...TRAIT_PRESETS[name].traits };
}

/**
 * Returns the traits of a provider.
 * @param named its `traits` in the catalog; unknown members and names, of a newer release, are ignored
 * @param baseUrl undefined: the host is unknown
 */
export function traitsOf(named: unknown, baseUrl: string | undefined): ProviderTraits {
  const ofHost = baseUrl === undefined ? 'generic' : presetOfHost(new URL(baseUrl).hostname);
  if (typeof named === 'string') return presetTraits(isPresetName(named) ? named : ofHost);
  const { preset, ...single } = knownTraits(named);
  return traitMembers.parse({ ...presetTraits(preset ?? ofHost), ...single });
}

function presetOfHost(host: string): TraitPresetName {
  const found = Object.entries(TRAIT_PRESETS).find(([, { hosts }]) =>
    hosts.some((one) => host === one || host.endsWith(`.${one}`)),
  );
  return found !== undefined && isPresetName(found[0]) ? found[0] : 'generic';
}

/** Drops members and values that only a newer release knows. */
function knownTraits(named: unknown): Exclude<NamedTraits, string> {
  if (typeof named !== 'object' || named === null) return {};
  const known = Object.entries(named).filter(([name, value]) => {
    return TRAITS_OF_FILE.safeParse({ [name]: value }).success;
  });
  return TRAITS_OF_FILE.parse(Object.fromEntries(known));
}

/** The meaning of each trait, for the documentation. */
export const TRAIT_DESCRIPTIONS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(traitMembers.shape).map(([name, { description = '' }]) => [name, description]),
);
