import type { Logger } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { RevocationLogStore } from './revocation-log-store.ts';

/**
 * Logs every revocation, whoever asked for it: one line with the message `key revoked`, the key's id and when
 * it was revoked. A database that is restored does not have the revocations since its backup; `gatewayctl
 * keys revoke --from-log` reads them from these lines. Each control plane logs all of them, and after a start
 * the newest one and those of the ten minutes before it again, since whoever committed them may have ended
 * before it could: a line too many does no harm, one that is missing does.
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

  /** There may be new ones. */
  wake(): void {
    void this.#runs.request();
  }

  /** Revisions of another database mean nothing to this one. */
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
