import type { ProviderKind } from './provider-kinds.ts';

/** Where a provider is: what its address follows from where the catalog names none. */
export interface ProviderPlace {
  kind: ProviderKind;
  base_url?: string | undefined;
  region?: string | undefined;
}

/** What is wrong with a place, in words for who wrote the catalog. */
export interface PlaceProblem {
  field: 'base_url' | 'region';
  message: string;
}

/** Regions of China have a domain of their own. */
const CHINA = /^cn-/;

export function placeProblems({ base_url, kind, region }: ProviderPlace): PlaceProblem[] {
  if (kind === 'bedrock') {
    // Also beside a `base_url`: what is sent there is signed for the region.
    return region === undefined
      ? [{ field: 'region', message: 'a provider of the kind "bedrock" needs its region' }]
      : [];
  }
  const problems: PlaceProblem[] = [];
  if (base_url === undefined) problems.push({ field: 'base_url', message: 'must be an http or https URL' });
  if (region !== undefined)
    problems.push({ field: 'region', message: `a provider of the kind "${kind}" has no region` });
  return problems;
}

/** @returns the address of a place without problems */
export function baseUrlOf({ base_url, region = '' }: ProviderPlace): string {
  if (base_url !== undefined) return base_url;
  const domain = CHINA.test(region) ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://bedrock-runtime.${region}.${domain}`;
}
