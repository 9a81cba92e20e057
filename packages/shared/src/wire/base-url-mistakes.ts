import { CAPABILITY_ENDPOINTS } from '../catalog/capability-endpoints.ts';

/** How a path shows that a client's base URL is wrong. */
export interface BaseUrlMistake {
  kind: 'no_v1' | 'v1_twice' | 'whole_endpoint';
  /** The path that the client means. */
  meant: string;
}

const V1 = '/v1';

/** The paths that clients add to their base URL. */
const ADDED = [...Object.values(CAPABILITY_ENDPOINTS).flat(), '/v1/models', '/v1/usage'].map((path) =>
  path.slice(V1.length),
);

/** Finds out whether an unknown path comes from a wrong base URL. @param path without a query */
export function baseUrlMistake(path: string): BaseUrlMistake | undefined {
  const [, versions = '', below = ''] = /^((?:\/+v1(?=\/))*)\/*(\/.*)$/s.exec(path) ?? [];
  const route = ADDED.find((added) => below === added || below.startsWith(`${added}/`));
  if (route === undefined) return undefined;
  const rest = below.slice(route.length);
  if (ADDED.includes(rest)) return { kind: 'whole_endpoint', meant: V1 + rest };
  const meant = V1 + below;
  if (versions === '') return { kind: 'no_v1', meant };
  return versions.lastIndexOf(V1) > versions.indexOf(V1) ? { kind: 'v1_twice', meant } : undefined;
}
