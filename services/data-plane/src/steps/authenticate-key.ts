import { lookupHash } from '@model-gateway/shared';
import { invalidKey, keysUncheckable } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import type { KeyWatch } from '../keys/key-watch.ts';
import type { OpenRequests } from '../keys/open-requests.ts';
import type { KeyResolver } from '../keys/resolve-key.ts';
import type { DataPlaneMetrics } from '../observability/data-plane-metrics.ts';

export interface AuthenticateContext {
  pepper: string;
  /** The pepper before, while it is being replaced. */
  oldPepper: string | undefined;
  keys: KeyResolver;
  keyWatch: Pick<KeyWatch, 'refusal'>;
  openRequests: OpenRequests<Exchange>;
  metrics: Pick<DataPlaneMetrics, 'keyLookups'>;
}

/**
 * Bearer key → checksum → HMAC → key context. Sets `record.key`, `keyIsStale` and, in the same turn, makes
 * the request reachable for a revocation.
 *
 * @throws GatewayError 401 (missing, malformed, unknown, revoked, expired), 429 (too many unknown keys from
 *   one address), 503 (cannot be checked right now)
 */
export async function authenticateKey(
  context: AuthenticateContext,
  exchange: Exchange,
): Promise<AuthenticatedExchange> {
  const rawKey = exchange.caller.presentedKey(exchange.req);
  if (rawKey === undefined) throw invalidKey();
  if (context.keyWatch.refusal !== undefined) throw keysUncheckable(new Error(context.keyWatch.refusal));
  const hash = lookupHash(context.pepper, rawKey);
  const cached = context.keys.cached(hash);
  context.metrics.keyLookups.labels(cached === undefined ? 'miss' : 'hit').inc();
  if (cached === null) throw invalidKey();
  const found =
    cached === undefined
      ? await context.keys.resolve(hash, exchange.record.clientIp, oldHashOf(context, rawKey))
      : { key: cached, isStale: false };
  if (found === undefined) throw invalidKey();
  const record = Object.assign(exchange.record, { key: found.key, keyIsStale: found.isStale });
  context.openRequests.add(found.key, hash, exchange);
  return Object.assign(exchange, { record });
}

/** Only what is not in the cache costs a second hash. */
function oldHashOf({ oldPepper }: AuthenticateContext, rawKey: string): string | undefined {
  return oldPepper === undefined ? undefined : lookupHash(oldPepper, rawKey);
}
