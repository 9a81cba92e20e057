import { isWellFormedApiKey, lookupHash } from '@model-gateway/shared';
import { invalidKey, keysUncheckable } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import type { KeyWatch } from '../keys/key-watch.ts';
import type { KnownHashes } from '../keys/known-hashes.ts';
import type { OpenRequests } from '../keys/open-requests.ts';
import { noUsableKey } from '../keys/request-key.ts';
import type { KeyResolver, ResolvedKey } from '../keys/resolve-key.ts';
import type { DataPlaneMetrics } from '../observability/data-plane-metrics.ts';

export interface AuthenticateContext {
  pepper: string;
  /** The previous pepper, while it is replaced. */
  oldPepper: string | undefined;
  keys: KeyResolver;
  knownHashes: KnownHashes;
  keyWatch: Pick<KeyWatch, 'refusal'>;
  openRequests: OpenRequests<Exchange>;
  metrics: Pick<DataPlaneMetrics, 'keyLookups'>;
}

/**
 * Finds the key of a request by its lookup hash: checksum and HMAC, or a digest if the key was used before.
 * Sets `record.key` and `keyIsStale` and, synchronously, registers the request, so that a revocation can end
 * it.
 * @returns no promise for a cached key
 * @throws GatewayError 401 (missing, malformed, unknown, revoked, expired), 429 (too many unknown keys from
 *   one address), 503 (cannot be checked now)
 */
export function authenticateKey(
  context: AuthenticateContext,
  exchange: Exchange,
): AuthenticatedExchange | Promise<AuthenticatedExchange> {
  const rawKey = exchange.caller.presentedKey(exchange.req);
  const knownHash = rawKey === undefined ? undefined : context.knownHashes.get(rawKey);
  if (rawKey === undefined || (knownHash === undefined && !isWellFormedApiKey(rawKey)))
    throw noUsableKey(exchange.req);
  if (context.keyWatch.refusal !== undefined) throw keysUncheckable(new Error(context.keyWatch.refusal));
  const hash = knownHash ?? lookupHash(context.pepper, rawKey);
  const key = context.keys.cached(hash);
  context.metrics.keyLookups.labels(key === undefined ? 'miss' : 'hit').inc();
  if (key === null) throw invalidKey();
  if (key === undefined) return lookUp(context, exchange, rawKey, hash);
  if (knownHash === undefined) context.knownHashes.set(rawKey, hash);
  setKey(context, exchange, { key, isStale: false }, hash);
  return exchange;
}

async function lookUp(
  context: AuthenticateContext,
  exchange: Exchange,
  rawKey: string,
  hash: string,
): Promise<AuthenticatedExchange> {
  const oldHash = context.oldPepper === undefined ? undefined : lookupHash(context.oldPepper, rawKey);
  const { clientIp, trace } = exchange.record;
  const resolve = () => context.keys.resolve(hash, clientIp, oldHash);
  const found = await (trace === undefined
    ? resolve()
    : trace.call('gateway.v1.KeyService/ResolveKey', resolve));
  if (found === undefined) throw invalidKey();
  setKey(context, exchange, found, hash);
  return exchange;
}

function setKey(
  { openRequests }: AuthenticateContext,
  exchange: Exchange,
  { key, isStale }: ResolvedKey,
  hash: string,
): asserts exchange is AuthenticatedExchange {
  exchange.record.key = key;
  exchange.record.keyIsStale = isStale;
  exchange.ends.push(openRequests.add(key, hash, exchange));
}
