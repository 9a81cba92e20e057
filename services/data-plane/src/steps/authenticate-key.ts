import { lookupHash } from '@model-gateway/shared';
import { invalidKey, keysUncheckable } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import type { KeyWatch } from '../keys/key-watch.ts';
import type { OpenRequests } from '../keys/open-requests.ts';
import { noUsableKey } from '../keys/request-key.ts';
import type { KeyResolver } from '../keys/resolve-key.ts';
import type { DataPlaneMetrics } from '../observability/data-plane-metrics.ts';

export interface AuthenticateContext {
  pepper: string;
  /** The previous pepper, while it is replaced. */
  oldPepper: string | undefined;
  keys: KeyResolver;
  keyWatch: Pick<KeyWatch, 'refusal'>;
  openRequests: OpenRequests<Exchange>;
  metrics: Pick<DataPlaneMetrics, 'keyLookups'>;
}

/**
 * Bearer key → checksum → HMAC → key context. Sets `record.key` and `keyIsStale` and, synchronously,
 * registers the request, so that a revocation can end it.
 * @throws GatewayError 401 (missing, malformed, unknown, revoked, expired), 429 (too many unknown keys from
 *   one address), 503 (cannot be checked now)
 */
export async function authenticateKey(
  context: AuthenticateContext,
  exchange: Exchange,
): Promise<AuthenticatedExchange> {
  const rawKey = exchange.caller.presentedKey(exchange.req);
  if (rawKey === undefined) throw noUsableKey(exchange.req);
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

/** Hashes with the old pepper, only for keys that are not cached. */
function oldHashOf({ oldPepper }: AuthenticateContext, rawKey: string): string | undefined {
  return oldPepper === undefined ? undefined : lookupHash(oldPepper, rawKey);
}
