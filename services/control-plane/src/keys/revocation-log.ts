import type { Logger } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { RevocationLogStore } from './revocation-log-store.ts';

/**
 * Logs every revocation, whoever asked for it: one line with the message `key revoked`, the key's id and when
 * it was revoked. A database that is restored does not have the revocations since its backup; `gatewayctl
 * keys revoke --from-log` reads them from these lines. Each control plane logs all revocations. After a start
 * it also logs the newest one and those of the ten minutes before it, because the process that committed them
 * may have ended before it could log them. A double line does no harm, a missing one does.
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

  /** To be called when there may be new revocations. */
  wake(): void {
    void this.#runs.request();
  }

  /** Starts anew, because the revisions of another database have another meaning. */
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
