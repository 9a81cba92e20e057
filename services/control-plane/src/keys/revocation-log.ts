import type { Logger } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { RevocationLogStore } from './revocation-log-store.ts';

/**
 * Logs every revocation as `key revoked` with id and time, so that `gatewayctl keys revoke --from-log` can
 * repeat those that a restored backup lacks. Each control plane logs all; after a start also those of the
 * last ten minutes, because the committing process may have ended. A duplicate line is harmless, a missing
 * one is not.
 */
export class RevocationLog {
  readonly #store: RevocationLogStore;
  readonly #log: Logger;
  readonly #runs: SingleFlight;
  #loggedUntil: bigint | undefined;

  constructor(store: RevocationLogStore, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#runs = new SingleFlight(
      () => this.#write(),
      (error) => log.warn({ error }, 'cannot read which keys were revoked'),
    );
  }

  wake(): void {
    this.#runs.request();
  }

  forget(): void {
    this.#loggedUntil = undefined;
    this.wake();
  }

  async close(): Promise<void> {
    await this.#runs.settled();
  }

  async #write(): Promise<void> {
    this.#loggedUntil ??= await this.#store.revisionTenMinutesBeforeLast();
    for (const { keyId, accountId, revokedAt, revision } of await this.#store.revokedSince(
      this.#loggedUntil,
    )) {
      this.#log.info(
        { key_id: keyId, account_id: accountId ?? undefined, revoked_at: revokedAt.toISOString() },
        'key revoked',
      );
      this.#loggedUntil = revision;
    }
  }
}
