import { GatewayError } from '@model-gateway/shared';
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  circuitBreaker,
  handleWhen,
  SamplingBreaker,
} from 'cockatiel';

const WINDOW_MS = 10_000;
const FAILING_SHARE = 0.5;
/** At least 20 attempts in the window, or a few unlucky ones would shut a provider out. */
const MIN_ATTEMPTS_PER_SECOND = 2;
const HALF_OPEN_AFTER_MS = 5_000;
/** What speaks against the provider. A rejected request speaks against the request, a 429 is an answer. */
const PROVIDER_FAULTS = new Set(['upstream_error', 'upstream_timeout']);

/** One breaker for each provider: opens at 50 % failures of at least 20 attempts (faults: "provider resets"). */
export class ProviderBreakers {
  readonly #breakers = new Map<string, CircuitBreakerPolicy>();
  readonly #minAttemptsPerSecond: number;

  constructor(minAttemptsPerSecond = MIN_ATTEMPTS_PER_SECOND) {
    this.#minAttemptsPerSecond = minAttemptsPerSecond;
  }

  isOpen(providerId: string): boolean {
    const state = this.#breakers.get(providerId)?.state;
    return state === CircuitState.Open || state === CircuitState.Isolated;
  }

  /** Runs an attempt and counts how it ended. @throws what it throws, or BrokenCircuitError at once */
  run<Result>(providerId: string, attempt: () => Promise<Result>): Promise<Result> {
    let breaker = this.#breakers.get(providerId);
    if (breaker === undefined) {
      breaker = circuitBreaker(
        handleWhen((error) => error instanceof GatewayError && PROVIDER_FAULTS.has(error.code)),
        {
          halfOpenAfter: HALF_OPEN_AFTER_MS,
          breaker: new SamplingBreaker({
            threshold: FAILING_SHARE,
            duration: WINDOW_MS,
            minimumRps: this.#minAttemptsPerSecond,
          }),
        },
      );
      this.#breakers.set(providerId, breaker);
    }
    return breaker.execute(attempt);
  }

  /** Forgets providers that the catalog no longer has. */
  keepOnly(providerIds: ReadonlyMap<string, unknown>): void {
    for (const id of this.#breakers.keys()) if (!providerIds.has(id)) this.#breakers.delete(id);
  }
}

export function isBreakerOpen(error: unknown): boolean {
  return error instanceof BrokenCircuitError;
}
