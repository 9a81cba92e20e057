import { z } from 'zod';

/** Directives that say whether a request takes its answer from the cache, and whether it stores one there. */
export interface CacheDirectives {
  reads: boolean;
  writes: boolean;
  ttlS: number;
}

/** Stands for no directives: the cache is not used. */
export const CACHE_OFF = 'off';
/** How long an answer can be cached: a week. */
export const MAX_CACHE_TTL_S = 604_800;
const DEFAULT_TTL_S = 3_600;
const TTL = /^ttl=([1-9]\d{0,5})$/;
/** More than all directives take, and spaces between them. */
const MAX_LENGTH = 64;
export const CACHE_FORM =
  `must be one or both of read and write, and at most one ttl in seconds up to ${MAX_CACHE_TTL_S}, ` +
  'such as "read, write; ttl=3600"';

/** Parses directives such as `read, write; ttl=3600`. @returns undefined if they are malformed */
export function parseCacheDirectives(text: string): CacheDirectives | undefined {
  const given = text.split(/[,;]/).map((directive) => directive.trim());
  const ttl = given.map((directive) => TTL.exec(directive)?.[1]).find((seconds) => seconds !== undefined);
  const directives = {
    reads: given.includes('read'),
    writes: given.includes('write'),
    ttlS: ttl === undefined ? DEFAULT_TTL_S : Number(ttl),
  };
  const known = [directives.reads, directives.writes, ttl !== undefined].filter(Boolean).length;
  const isComplete = directives.reads || directives.writes;
  // Nothing unknown, and nothing twice.
  const isValid = known === given.length && isComplete && directives.ttlS <= MAX_CACHE_TTL_S;
  return isValid ? directives : undefined;
}

/** Directives for the requests of a key that send none. */
export const keyCache = z
  .string()
  .max(MAX_LENGTH)
  .refine((text) => parseCacheDirectives(text) !== undefined, CACHE_FORM);
