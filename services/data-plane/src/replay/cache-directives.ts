import { CACHE_HEADER, invalidField } from '@model-gateway/shared/errors';
import {
  CACHE_FORM,
  CACHE_OFF,
  type CacheDirectives,
  parseCacheDirectives,
} from '@model-gateway/shared/rules';
import type { AuthenticatedExchange } from '../http/exchange.ts';

/** Directives of a request that does not use the cache. */
export const NO_CACHE: CacheDirectives = { reads: false, writes: false, ttlS: 0 };

/** Returns true if the caller or its key asks for the cache, or the caller turns it off. */
export function asksForCache({ record, req }: AuthenticatedExchange): boolean {
  return record.key.cache !== undefined || req.headers[CACHE_HEADER] !== undefined;
}

/** Returns the directives of the caller, else those of its key. @throws GatewayError 400 */
export function cacheDirectivesOf({ record, req }: AuthenticatedExchange): CacheDirectives {
  const header = req.headers[CACHE_HEADER];
  if (header === undefined) return record.key.cache ?? NO_CACHE;
  const directives = header === CACHE_OFF ? NO_CACHE : parseCacheDirectives(String(header));
  if (directives === undefined) throw invalidField(CACHE_HEADER, `${CACHE_FORM}; or off`);
  return directives;
}
