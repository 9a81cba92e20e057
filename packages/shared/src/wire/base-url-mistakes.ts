import { CAPABILITY_ENDPOINTS } from '../catalog/capability-endpoints.ts';

/** How a path shows that a client's base URL is wrong. */
export interface BaseUrlMistake {
  /** `client_adds_v1`: it adds /v1 to a base URL that has it already. */
  kind: 'no_v1' | 'v1_twice' | 'client_adds_v1' | 'whole_endpoint';
  /** The path that the client means. */
  meant: string;
}

const V1 = '/v1';
/** Anthropic's clients add /v1 themselves. */
const MESSAGES = '/messages';

/** The paths that clients add to their base URL. */
const ADDED = [...Object.values(CAPABILITY_ENDPOINTS).flat(), '/v1/models', '/v1/usage'].map((path) =>
  path.slice(V1.length),
);

/** Finds out whether an unknown path comes from a wrong base URL. @param path without a query */
export function baseUrlMistake(path: string): BaseUrlMistake | undefined {
  const [, versions = '', below = ''] = /^((?:\/+v1(?=\/))*)\/*(\/.*)$/s.exec(path) ?? [];
  const route = routeOf(below);
  if (route === undefined) return undefined;
  const rest = below.slice(route.length);
  if (ADDED.includes(rest)) return { kind: 'whole_endpoint', meant: V1 + rest };
  if (rest.startsWith(V1) && routeOf(rest.slice(V1.length)) !== undefined)
    return { kind: 'client_adds_v1', meant: rest };
  const meant = V1 + below;
  if (versions === '') return { kind: 'no_v1', meant };
  if (versions.lastIndexOf(V1) === versions.indexOf(V1)) return undefined;
  return { kind: route.startsWith(MESSAGES) ? 'client_adds_v1' : 'v1_twice', meant };
}

function routeOf(path: string): string | undefined {
  return ADDED.find((added) => path === added || path.startsWith(`${added}/`));
}
