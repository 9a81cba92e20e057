import type { ProviderKind } from './provider-kinds.ts';

/** Where a provider is: the address, or what it follows from. */
interface ProviderPlace {
  kind: ProviderKind;
  base_url?: string | undefined;
  resource?: string | undefined;
  region?: string | undefined;
}

/** Regions of China have a domain of their own. */
const CHINA = /^cn-/;

/** @returns undefined where nothing says it */
export function baseUrlOf({ base_url, kind, region, resource }: ProviderPlace): string | undefined {
  if (base_url !== undefined) return base_url;
  if (resource !== undefined) return `https://${resource}.openai.azure.com/openai/v1`;
  // Without its region it is refused for that alone.
  if (kind !== 'bedrock') return undefined;
  const domain = CHINA.test(region ?? '') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://bedrock-runtime.${region}.${domain}`;
}

/** What is wrong with the region of a provider; undefined: nothing. */
export function regionProblem({ kind, region }: ProviderPlace): string | undefined {
  if (kind !== 'bedrock') return region && `a provider of the kind "${kind}" has no region`;
  // Also beside a `base_url`: requests are signed for it.
  return region === undefined ? 'a provider of the kind "bedrock" needs its region' : undefined;
}
