import type { Claim, ClaimedValues } from '@model-gateway/limits';
import { inBackground } from '@model-gateway/service-kit';

export interface RunningClaimsOptions {
  claims: Pick<ClaimedValues, 'renew'>;
  renewEveryMs: number;
}

/** Renews the claims of the running requests of this process, so that they lapse soon after its death. */
export class RunningClaims {
  readonly #options: RunningClaimsOptions;
  readonly #running = new Set<Claim>();
  #timer: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: RunningClaimsOptions) {
    this.#options = options;
  }

  /** @returns a function that ends the renewals, to be called once the claim is ended */
  add(claim: Claim): () => void {
    this.#running.add(claim);
    this.#timer ??= setInterval(() => this.#renew(), this.#options.renewEveryMs).unref();
    return () => {
      this.#running.delete(claim);
      if (this.#running.size > 0) return;
      this.close();
      this.#onIdle?.();
    };
  }

  /** Resolves once no request with a claim runs, also for no client. Call it once. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#running.size === 0) resolve();
      else this.#onIdle = resolve;
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #renew(): void {
    // If Redis is away, the next renewal may be in time.
    for (const claim of this.#running) inBackground(this.#options.claims.renew(claim).catch(() => false));
  }
}
