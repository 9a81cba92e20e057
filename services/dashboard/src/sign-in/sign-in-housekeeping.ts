import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { UserStore } from './user-store.ts';

export interface SignInHousekeepingContext {
  userStore: Pick<UserStore, 'endSessionsWithout' | 'prune'>;
  /** Ids of the identity providers if there are no passwords; else undefined. */
  onlyProviders: readonly string[] | undefined;
  log: Logger;
}

const INTERVAL_MS = 600_000;

/**
 * At the start and every ten minutes, deletes expired sessions and verifications and, once passwords are
 * switched off, the sessions of users who had only a password.
 */
export class SignInHousekeeping {
  readonly #context: SignInHousekeepingContext;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: SignInHousekeepingContext) {
    this.#context = context;
  }

  start(): void {
    inBackground(this.#prune());
    this.#timer = setInterval(() => inBackground(this.#prune()), INTERVAL_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #prune(): Promise<void> {
    const { log, onlyProviders, userStore } = this.#context;
    try {
      await userStore.prune();
      if (onlyProviders !== undefined) await userStore.endSessionsWithout(onlyProviders);
    } catch (error) {
      log.warn({ error }, 'cannot delete sign-ins that have ended');
    }
  }
}
