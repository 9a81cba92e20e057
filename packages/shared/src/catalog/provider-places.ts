import type { ProviderKind } from './provider-kinds.ts';

/** The base URL of a provider, or the settings that determine it. */
interface ProviderPlace {
  kind: ProviderKind;
  base_url?: string | undefined;
  resource?: string | undefined;
  region?: string | undefined;
  project?: string | undefined;
}

/** Regions of China have a domain of their own. */
const CHINA = /^cn-/;

/** Placeholder in a base URL for the project of the credentials. */
export const OWN_PROJECT = '-';

/** Returns the base URL; undefined when the entry does not determine it. */
export function baseUrlOf({ base_url, kind, project, region, resource }: ProviderPlace): string | undefined {
  if (base_url !== undefined) return base_url;
  if (resource !== undefined) return `https://${resource}.openai.azure.com/openai/v1`;
  // A missing region is reported by `regionProblem`.
  if (kind === 'vertex')
    return `https://${vertexHost(region)}/v1/projects/${project ?? OWN_PROJECT}/locations/${region}`;
  if (kind !== 'bedrock') return undefined;
  const domain = CHINA.test(region ?? '') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://bedrock-runtime.${region}.${domain}`;
}

/** Returns the host of one region, a multi-region, or `global` (Vertex AI, "Deployments and endpoints"). */
function vertexHost(region: string | undefined): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  if (region === 'us' || region === 'eu') return `aiplatform.${region}.rep.googleapis.com`;
  return `${region}-aiplatform.googleapis.com`;
}

/** Returns the problem with the region of a provider; undefined: none. */
export function regionProblem({ base_url, kind, region }: ProviderPlace): string | undefined {
  if (kind === 'vertex') return besideAddress(base_url, region) ?? needed(kind, base_url ?? region);
  if (kind !== 'bedrock') return region && `a provider of the kind "${kind}" has no region`;
  // Required even with a `base_url`, because requests are signed for the region.
  return region?.includes('-') === false ? 'not the name of a region' : needed(kind, region);
}

/** Returns the problem with the project of a provider; undefined: none. */
export function projectProblem({ base_url, kind, project }: ProviderPlace): string | undefined {
  if (kind === 'vertex') return besideAddress(base_url, project);
  return project && `a provider of the kind "${kind}" has no project`;
}

function besideAddress(base_url: string | undefined, value: string | undefined): string | undefined {
  return base_url && value && 'is a part of "base_url": leave one of them out';
}

function needed(kind: ProviderKind, value: string | undefined): string | undefined {
  return value === undefined ? `a provider of the kind "${kind}" needs its region` : undefined;
}
