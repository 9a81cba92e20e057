import { ClaimedValues, connectRedis, PurgeableValues } from '@model-gateway/limits';
import type { Logger, Registry } from '@model-gateway/service-kit';
import { deriveKey } from '@model-gateway/shared';
import { MAX_CACHE_TTL_S } from '@model-gateway/shared/rules';
import { ResponseCipher } from '../stored-responses/response-cipher.ts';
import { AnswerCache } from './answer-cache.ts';
import { KeyedAnswers } from './keyed-answers.ts';
import { ReplayMetrics } from './replay-metrics.ts';
import { RunningClaims } from './running-claims.ts';

const DAY_MS = 86_400_000;
/** Maximum bytes of one account in Redis: of answers to keys, and as many of cached ones. */
const MAX_BYTES_OF_ACCOUNT = 256 * 1024 * 1024;
/** A killed process holds up a retry no longer than this. */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 4_000;
/** Longer answers are read once there is memory for them. */
const MAX_INLINE_BYTES = 64 * 1024;
/** Each covers half an hour: an answer that is cached for a minute must not count for hours. */
const CACHE_SLICES = 7 * 48;
const PURPOSES = {
  answers: 'model-gateway remembered answers, version 1',
  fingerprints: 'model-gateway request fingerprints, version 1',
};

export interface ReplaysOptions {
  /** Undefined: nothing can be remembered. */
  redisUrl: string | undefined;
  pepper: string;
  oldPepper: string | undefined;
  timings?: { leaseMs: number; renewEveryMs: number } | undefined;
  registry: Registry;
  log: Logger;
}

export interface Replays {
  metrics: ReplayMetrics;
  /** The rest is undefined without Redis. */
  keyed?: KeyedAnswers;
  cache?: AnswerCache;
  whenReady?(timeoutMs: number): Promise<boolean>;
  /** Resolves once no request with an Idempotency-Key runs. */
  whenIdle?(): Promise<void>;
  close(): void;
}

/**
 * Connects the stores of answers that are sent again, on a connection of their own, because long values would
 * delay the decisions about limits. Their keys are derived from the pepper.
 */
export function connectReplays(options: ReplaysOptions): Replays {
  const { log, oldPepper, pepper, redisUrl, registry, timings } = options;
  const metrics = new ReplayMetrics(registry, log);
  if (redisUrl === undefined) return { metrics, close: () => undefined };
  const connection = connectRedis({
    url: redisUrl,
    onError: (error) =>
      log.warn({ error: error.message }, 'connection to Redis for repeated requests lost, reconnecting'),
  });
  const peppers = [pepper, oldPepper].filter((each) => each !== undefined);
  const ciphers = peppers.map((each) => new ResponseCipher(deriveKey(each, PURPOSES.answers)));
  const fingerprintKeys = peppers.map((each) => deriveKey(each, PURPOSES.fingerprints));
  const { leaseMs, renewEveryMs } = timings ?? { leaseMs: LEASE_MS, renewEveryMs: RENEW_EVERY_MS };
  const claims = new ClaimedValues(connection, {
    ttlMs: DAY_MS,
    maxBytesOfOwner: MAX_BYTES_OF_ACCOUNT,
    keyPrefix: 'gateway:idempotency:',
    leaseMs,
    maxInlineBytes: MAX_INLINE_BYTES,
  });
  const values = new PurgeableValues(connection, {
    ttlMs: MAX_CACHE_TTL_S * 1_000,
    maxBytesOfOwner: MAX_BYTES_OF_ACCOUNT,
    slices: CACHE_SLICES,
    keyPrefix: 'gateway:cache:',
  });
  const running = new RunningClaims({ claims, renewEveryMs });
  const [cipher] = ciphers;
  const [fingerprintKey] = fingerprintKeys;
  if (cipher === undefined || fingerprintKey === undefined) throw new Error('there is no pepper');
  return {
    metrics,
    keyed: new KeyedAnswers({ claims, running, ciphers, fingerprintKeys, metrics }),
    cache: new AnswerCache({ values, cipher, key: fingerprintKey, metrics }),
    whenReady: (timeoutMs: number) => connection.whenReady(timeoutMs),
    whenIdle: () => running.whenIdle(),
    close: () => {
      running.close();
      claims.close();
      values.close();
      connection.close();
    },
  };
}
