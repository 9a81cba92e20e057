import type { ControlPlaneClient } from '@model-gateway/contracts';
import { connectLimiter, Tombstones } from '@model-gateway/limits';
import type { Logger, Registry } from '@model-gateway/service-kit';
import { pepperFingerprint } from '@model-gateway/shared';
import { EndUserRulesResolver } from './end-user-rules.ts';
import { KeyCache } from './key-cache.ts';
import { KeyWatch } from './key-watch.ts';
import type { KeyWatchEvents } from './key-watch-events.ts';
import { KnownHashes } from './known-hashes.ts';
import { LapsedLease } from './lapsed-lease.ts';
import { LookupGuard, UNKNOWN_KEYS } from './lookup-guard.ts';
import type { OpenRequests } from './open-requests.ts';
import { KeyResolver } from './resolve-key.ts';

interface KeySettings {
  pepper: string;
  redisUrl: string | undefined;
  expectedReplicas: number;
  keyCacheGraceMs: number;
}

interface KeyPartsInput {
  config: KeySettings;
  client: ControlPlaneClient;
  openRequests: OpenRequests;
  /** Events of the watch besides key changes. `reset`: changes may have been missed. */
  events: Omit<KeyWatchEvents, 'keyChanged' | 'reset'> & { reset(): void };
  registry: Registry;
  log: Logger;
}

/** Wires the parts that resolve keys and enforce their limits. Nothing runs before `keyWatch.start`. */
export function createKeyParts(input: KeyPartsInput) {
  const { client, config, events, log, openRequests, registry } = input;
  const fingerprint = pepperFingerprint(config.pepper);
  const keyWatch = new KeyWatch({
    client,
    pepperFingerprint: fingerprint,
    log,
    events: {
      ...events,
      keyChanged: ({ keyId, lookupHash, previousLookupHash, revoked, revision, expiresAtMs }) => {
        keys.invalidate({ lookupHash, revision, revoked });
        if (previousLookupHash !== undefined) {
          keys.invalidate({ lookupHash: previousLookupHash, revision, revoked });
        }
        limiter.forget(keyId);
        if (revoked) openRequests.cutKey(keyId);
        else openRequests.expiryChanged(keyId, expiresAtMs);
      },
      reset: (revision) => {
        keys.invalidateAll(revision);
        lapsedLease.changesMissed();
        events.reset();
      },
    },
  });
  const { redis, limiter } = connectLimiter({
    redisUrl: config.redisUrl,
    expectedReplicas: config.expectedReplicas,
    isTrusted: () => keyWatch.isLive(),
    registry,
    log,
  });
  const keys = new KeyResolver({
    client,
    cache: new KeyCache(),
    trust: {
      isLive: () => keyWatch.isLive(),
      patience: (quietMs, mostMs) => keyWatch.patience(quietMs, mostMs),
      // Redis has the revocations.
      mayServeStale: () => limiter.isRedisHealthy && keyWatch.lagMs() < config.keyCacheGraceMs,
    },
    guard: new LookupGuard(UNKNOWN_KEYS),
    pepperFingerprint: fingerprint,
  });
  const endUserRules = new EndUserRulesResolver({
    client,
    patience: (quietMs, mostMs) => keyWatch.patience(quietMs, mostMs),
  });
  const lapsedLease = new LapsedLease({
    openRequests,
    isLive: () => keyWatch.isLive(),
    isHeard: () => keyWatch.isHeard(),
    tombstones: redis && new Tombstones(redis),
    isRedisHealthy: () => limiter.isRedisHealthy,
    client,
    log,
  });
  return { keyWatch, redis, limiter, keys, knownHashes: new KnownHashes(), endUserRules, lapsedLease };
}
