import { setTimeout } from 'node:timers/promises';
import { inBackground, type Logger } from '@model-gateway/service-kit';
import { newId } from '@model-gateway/shared';
import type { VerificationResult } from './verification-result.ts';
import type {
  StoredVerification,
  VerificationEnd,
  VerificationKind,
  VerificationStore,
} from './verification-store.ts';

const RETRY_MS = 5_000;
const STOPPED = 'The control plane stopped before the end. Start it again.';

export interface VerificationsOptions {
  controlPlaneId: string;
  store: VerificationStore;
  log: Logger;
}

/** Returns if everything agrees, and the details. */
export type Verify = (signal: AbortSignal) => Promise<{ agrees: boolean; result: VerificationResult }>;

/** Makes long checks in the background; their results are stored. */
export class Verifications {
  readonly #options: VerificationsOptions;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(options: VerificationsOptions) {
    this.#options = options;
  }

  /** Starts a check. @returns it, or the one of its kind that is under way */
  async start(kind: VerificationKind, verify: Verify): Promise<StoredVerification> {
    const { controlPlaneId, store } = this.#options;
    const id = newId('ver');
    const started = await store.start({ id, kind, controlPlaneId });
    if (started.id !== id) return started;
    const running = this.#run(id, verify).finally(() => this.#running.delete(running));
    this.#running.add(running);
    inBackground(running);
    return started;
  }

  /** Ends the checks that run here. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running);
  }

  async #run(id: string, verify: Verify): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#stop;
    let end: VerificationEnd;
    try {
      end = { ...(await verify(signal)), problem: null };
    } catch (error) {
      if (!signal.aborted) log.error({ error }, 'a verification failed');
      const problem = signal.aborted ? STOPPED : 'It failed. The log of the control plane says why.';
      end = { agrees: null, result: null, problem };
    }
    // Without its end it would look under way, and no other could start, while this process runs.
    while (!(await this.#isStored(id, end)) && !signal.aborted)
      await setTimeout(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }

  async #isStored(id: string, end: VerificationEnd): Promise<boolean> {
    const { log, store } = this.#options;
    try {
      await store.end(id, end);
      return true;
    } catch (error) {
      log.warn({ error }, 'the result of a verification could not be stored');
      return false;
    }
  }
}
