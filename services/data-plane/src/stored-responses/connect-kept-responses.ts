import { connectRedis, ExpiringValues } from '@model-gateway/limits';
import type { Logger, Registry } from '@model-gateway/service-kit';
import { KeptResponseReports } from './kept-response-reports.ts';
import { KeptResponseStore } from './kept-response-store.ts';
import { ResponseCipher } from './response-cipher.ts';
import type { ResponsesState } from './state-settings.ts';

/** Maximum bytes in Redis for the responses of one account. */
const MOST_BYTES_OF_ACCOUNT = 128 * 1024 * 1024;

export interface KeptResponsesOptions extends ResponsesState {
  registry: Registry;
  log: Logger;
}

export type KeptResponses = ReturnType<typeof connectKeptResponses>;

/** Opens a connection of its own: a response may be long, and no decision about a limit waits behind it. */
export function connectKeptResponses({ key, log, redisUrl, registry, ttlMs }: KeptResponsesOptions) {
  const connection = connectRedis({
    url: redisUrl,
    onError: (error) =>
      log.warn({ error: error.message }, 'connection to Redis for kept responses lost, reconnecting'),
  });
  const values = new ExpiringValues(connection, {
    ttlMs,
    mostBytesOfOwner: MOST_BYTES_OF_ACCOUNT,
    onHealthChange: (isThere) =>
      log.warn({}, isThere ? 'responses are kept in Redis again' : 'responses are not kept: Redis is away'),
  });
  const reports = new KeptResponseReports(registry, log);
  return {
    store: new KeptResponseStore({ values, cipher: new ResponseCipher(key), reports }),
    reports,
    whenReady: (timeoutMs: number) => connection.whenReady(timeoutMs),
    close: () => {
      values.close();
      connection.close();
    },
  };
}
