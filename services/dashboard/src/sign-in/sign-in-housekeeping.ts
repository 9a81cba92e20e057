import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { UserStore } from './user-store.ts';

export interface SignInHousekeepingContext {
  userStore: Pick<UserStore, 'prune'>;
  log: Logger;
}

const INTERVAL_MS = 600_000;

/** Deletes expired sessions and verifications at the start and every ten minutes. */
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
    const { log, userStore } = this.#context;
    try {
      await userStore.prune();
    } catch (error) {
      log.warn({ error }, 'cannot delete sign-ins that have expired');
    }
  }
}
