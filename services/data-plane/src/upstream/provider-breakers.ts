import { verdictOf } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import type { ModelTable, RoutedUpstream } from '../catalog/model-table.ts';
import { isInWindow } from './attempt-window.ts';
import { type ModelBreaker, ProviderBreaker } from './provider-breaker.ts';

/** Below this, a few unlucky attempts could shut a provider out. */
const MIN_ATTEMPTS = 20;

/** Reports that a provider is not called, because its breaker is open. */
export class BreakerOpen extends Error {
  override readonly name = 'BreakerOpen';

  /** The last failure, if the provider refused our credential: callers should not retry then. */
  readonly refusal: GatewayError | undefined;

  constructor(providerId: string, refusal: GatewayError | undefined) {
    super(`the provider ${providerId} has failed too often just now`);
    this.refusal = refusal;
  }
}

interface BegunAttempt {
  breaker: ModelBreaker;
  payer: string;
  wasOpen: boolean;
  isTest: boolean;
  now: () => number;
}

/**
 * Counts the response of an attempt as soon as it arrives, or its failure. If only ended attempts counted, a
 * few failures would outweigh thousands of open streams.
 */
export class CountedAttempt {
  readonly #begun: BegunAttempt;
  #countedAtMs: number | undefined;

  constructor(begun: BegunAttempt) {
    this.#begun = begun;
  }

  /** Counts the response. Call it when its head has arrived. */
  answered(): void {
    if (this.#countedAtMs !== undefined) return;
    const { breaker, now, payer } = this.#begun;
    this.#countedAtMs = now();
    breaker.countAnswered(payer, this.#countedAtMs);
  }

  /** Counts a whole response, which closes the breaker if it was open when the attempt began. */
  completed(): void {
    const { breaker, now, payer, wasOpen } = this.#begun;
    if (wasOpen) breaker.close();
    if (wasOpen || this.#countedAtMs === undefined) breaker.countAnswered(payer, now());
  }

  failed(error: unknown): void {
    const { breaker, isTest, now, payer } = this.#begun;
    const counts = verdictOf(error).breaker;
    const nowMs = now();
    if (counts === 'answered') this.completed();
    else if (counts === 'failed') {
      const isCounted = this.#countedAtMs !== undefined && isInWindow(this.#countedAtMs, nowMs);
      breaker.countFailure(payer, nowMs, isCounted);
    } else if (counts === 'failed_for_all') breaker.provider.countFailureForAll(nowMs, refusalIn(error));
    // A client that left, or broke off its upload, says nothing about the provider.
    else if (isTest) breaker.testAgain(payer, nowMs);
  }
}

/** The upstream of an attempt. */
export interface BreakerUpstream {
  provider: Pick<RoutedUpstream['provider'], 'id'>;
  model: string;
}

/** Open breaker of a provider, or of one of its models. */
export interface OpenBreaker {
  providerId: string;
  /** Upstream model; empty: the breaker of the provider. */
  model: string;
  /** False: it shuts out only the payers whose own requests failed. */
  shutsEveryoneOut: boolean;
  /** Monotonic milliseconds. */
  sinceMs: number;
}

/** Circuit breakers by provider and model (docs/errors.md, "Circuit breakers"). */
export class ProviderBreakers {
  readonly #providers = new Map<string, ProviderBreaker>();
  /** The breaker of each upstream of the catalog, so that an attempt needs one lookup. */
  readonly #ofUpstream = new WeakMap<BreakerUpstream, ModelBreaker>();
  readonly #minAttempts: number;
  readonly #now: () => number;

  /** @param now monotonic milliseconds */
  constructor(minAttempts = MIN_ATTEMPTS, now: () => number = () => performance.now()) {
    this.#minAttempts = minAttempts;
    this.#now = now;
  }

  /**
   * Begins an attempt.
   * @param payer the account or team that pays for the request, also if it is free
   * @returns BreakerOpen if the provider must not be called
   */
  begin(upstream: BreakerUpstream, payer: string): CountedAttempt | BreakerOpen {
    const breaker = this.#ofUpstream.get(upstream) ?? this.#find(upstream);
    const wasOpen = breaker.isOpen;
    const isTest = wasOpen && this.#admit(breaker, upstream, payer);
    if (isTest instanceof BreakerOpen) return isTest;
    return new CountedAttempt({ breaker, payer, wasOpen, isTest, now: this.#now });
  }

  /** Takes the result of a probe, which no caller can make fail. */
  probed(providerId: string, hasFailed: boolean): void {
    this.#provider(providerId).hasFailedProbe = hasFailed;
  }

  /** Returns true if the breaker of a provider or of one of its models is open. */
  isOpen(providerId: string): boolean {
    return this.#providers.get(providerId)?.isOpen ?? false;
  }

  /** Lists the open breakers. */
  listOpen(): OpenBreaker[] {
    return [...this.#providers].flatMap(([providerId, { gate, models }]) =>
      [['', gate] as const, ...[...models].map(([model, each]) => [model, each.gate] as const)].flatMap(
        ([model, { openedAtMs: sinceMs, shutsEveryoneOut }]) =>
          sinceMs === undefined ? [] : [{ providerId, model, shutsEveryoneOut, sinceMs }],
      ),
    );
  }

  /** Forgets the failures of a provider whose credentials have changed. */
  forget(providerId: string): void {
    this.#providers.delete(providerId);
  }

  /** Forgets providers and models that the catalog no longer has. */
  keepOnly({ providers, models }: Pick<ModelTable, 'providers' | 'models'>): void {
    const used = new Map([...providers.keys()].map((id) => [id, new Set<string>()]));
    for (const { upstreams } of models.values())
      for (const { provider, model } of upstreams) used.get(provider.id)?.add(model);
    for (const [id, breaker] of this.#providers) {
      const usedModels = used.get(id);
      if (usedModels === undefined) this.#providers.delete(id);
      for (const model of breaker.models.keys())
        if (usedModels?.has(model) !== true) breaker.models.delete(model);
    }
  }

  /** @returns true if the attempt tests the provider */
  #admit(breaker: ModelBreaker, { provider: { id } }: BreakerUpstream, payer: string): boolean | BreakerOpen {
    const nowMs = this.#now();
    const { gate, refusal } = breaker.provider;
    if (!gate.admits(payer, nowMs)) return new BreakerOpen(id, refusal);
    if (!breaker.gate.admits(payer, nowMs)) return new BreakerOpen(id, undefined);
    return breaker.startTest(payer, nowMs);
  }

  #find(upstream: BreakerUpstream): ModelBreaker {
    const breaker = this.#provider(upstream.provider.id).modelBreaker(upstream.model);
    this.#ofUpstream.set(upstream, breaker);
    return breaker;
  }

  #provider(id: string): ProviderBreaker {
    let provider = this.#providers.get(id);
    if (provider === undefined) {
      provider = new ProviderBreaker(this.#minAttempts);
      this.#providers.set(id, provider);
    }
    return provider;
  }
}

function refusalIn(error: unknown): GatewayError | undefined {
  return error instanceof GatewayError && error.verdict?.credential === 'refused' ? error : undefined;
}
