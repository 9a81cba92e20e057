import { CACHE_HEADER, invalidField } from '@model-gateway/shared/errors';

export interface CacheDirectives {
  reads: boolean;
  writes: boolean;
  ttlS: number;
}

const DEFAULT_TTL_S = 3_600;
/** How long an answer can be cached: a week. */
export const MAX_CACHE_TTL_S = 604_800;
const TTL = /^ttl=([1-9]\d{0,5})$/;
const FORM =
  `must be one or both of read and write, and at most one ttl in seconds up to ${MAX_CACHE_TTL_S}, ` +
  'such as "read, write; ttl=3600"';

/** Parses `x-gateway-cache`. @throws GatewayError 400 */
export function parseCacheDirectives(header: string): CacheDirectives {
  const given = header.split(/[,;]/).map((text) => text.trim());
  const ttl = given.map((text) => TTL.exec(text)?.[1]).find((seconds) => seconds !== undefined);
  const directives = {
    reads: given.includes('read'),
    writes: given.includes('write'),
    ttlS: ttl === undefined ? DEFAULT_TTL_S : Number(ttl),
  };
  const known = [directives.reads, directives.writes, ttl !== undefined].filter(Boolean).length;
  const isComplete = directives.reads || directives.writes;
  // Nothing unknown, and nothing twice.
  if (known !== given.length || !isComplete || directives.ttlS > MAX_CACHE_TTL_S)
    throw invalidField(CACHE_HEADER, FORM);
  return directives;
}
