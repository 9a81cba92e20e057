import { connectRedis, ExpiringValues } from '@model-gateway/limits';
import type { Logger, Registry } from '@model-gateway/service-kit';
import { ResponseCipher } from './response-cipher.ts';
import type { ResponsesState } from './state-settings.ts';
import { StoredResponseReports } from './stored-response-reports.ts';
import { StoredResponseStore } from './stored-response-store.ts';

/** Maximum bytes in Redis for the responses of one account. */
const MAX_BYTES_OF_ACCOUNT = 128 * 1024 * 1024;

export interface StoredResponsesOptions extends ResponsesState {
  registry: Registry;
  log: Logger;
}

export type StoredResponses = ReturnType<typeof connectStoredResponses>;

/** Connects on a separate connection, because long values would delay the decisions about limits. */
export function connectStoredResponses({ key, log, redisUrl, registry, ttlMs }: StoredResponsesOptions) {
  const connection = connectRedis({
    url: redisUrl,
    onError: (error) =>
      log.warn({ error: error.message }, 'connection to Redis for stored responses lost, reconnecting'),
  });
  const values = new ExpiringValues(connection, {
    ttlMs,
    maxBytesOfOwner: MAX_BYTES_OF_ACCOUNT,
    onHealthChange: (isThere) =>
      log.warn(
        {},
        isThere ? 'responses are stored in Redis again' : 'responses are not stored: Redis does not respond',
      ),
  });
  const reports = new StoredResponseReports(registry, log);
  return {
    store: new StoredResponseStore({ values, cipher: new ResponseCipher(key), reports }),
    reports,
    whenReady: (timeoutMs: number) => connection.whenReady(timeoutMs),
    close: () => {
      values.close();
      connection.close();
    },
  };
}
