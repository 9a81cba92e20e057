import type { ControlPlaneClient } from '@model-gateway/contracts';
import type { UserStore } from './sign-in/user-store.ts';

export interface HealthChecksContext {
  client: ControlPlaneClient;
  userStore: Pick<UserStore, 'ping'>;
}

const INTERVAL_MS = 2_000;
const TIMEOUT_MS = 1_500;

/** Checks every two seconds whether the database and the control plane can be reached. */
export class HealthChecks {
  readonly #context: HealthChecksContext;
  #reasons: readonly string[] = ['not checked yet'];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(context: HealthChecksContext) {
    this.#context = context;
  }

  /** The reasons for not being ready; empty when ready. */
  get reasons(): readonly string[] {
    return this.#reasons;
  }

  /** Resolves after the first check. */
  async start(): Promise<void> {
    await this.#check();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    const { client, userStore } = this.#context;
    const [database, controlPlane] = await Promise.allSettled([userStore.ping(), connected(client)]);
    this.#reasons = [
      ...(database.status === 'rejected' ? ['the database cannot be reached'] : []),
      ...(controlPlane.status === 'rejected' ? ['the control plane cannot be reached'] : []),
    ];
    if (!this.#closed) this.#timer = setTimeout(() => void this.#check(), INTERVAL_MS);
  }
}

async function connected(client: ControlPlaneClient): Promise<void> {
  const { stubs } = client;
  await new Promise<void>((resolve, reject) => {
    stubs.dashboard.waitForReady(Date.now() + TIMEOUT_MS, (error) => {
      if (error === undefined) return resolve();
      client.moveOn(stubs);
      reject(error);
    });
  });
}
