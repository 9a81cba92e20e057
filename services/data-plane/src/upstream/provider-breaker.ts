import type { GatewayError } from '@model-gateway/shared';
import { type AttemptCounts, AttemptWindow, secondOf } from './attempt-window.ts';
import { BreakerGate } from './breaker-gate.ts';
import { agreeingPayers, PayerWindows } from './payer-windows.ts';

/** A provider is shut out for its models only if at least this many fail, and no other works. */
const MIN_MODELS = 2;

/** The breaker of a provider, for failures of the connection and the credential, and of all its models. */
export class ProviderBreaker {
  readonly gate = new BreakerGate();
  readonly models = new Map<string, ModelBreaker>();
  readonly minAttempts: number;
  /** Set while the last probe failed. */
  hasFailedProbe = false;
  /** The last failure, if the provider refused our credential. */
  refusal: GatewayError | undefined;
  /** All attempts, and the failures that no caller can cause. */
  readonly #all = new AttemptWindow();

  constructor(minAttempts: number) {
    this.minAttempts = minAttempts;
  }

  get isOpen(): boolean {
    return this.gate.isOpen || [...this.models.values()].some(({ gate }) => gate.isOpen);
  }

  modelBreaker(model: string): ModelBreaker {
    let breaker = this.models.get(model);
    if (breaker === undefined) {
      breaker = new ModelBreaker(this);
      this.models.set(model, breaker);
    }
    return breaker;
  }

  countAttempt(nowMs: number): void {
    this.#all.add(secondOf(nowMs), 1, 0);
  }

  /** Counts a failure that no caller can cause. @param refusal set if our credential was refused */
  countFailureForAll(nowMs: number, refusal: GatewayError | undefined): void {
    this.refusal = refusal;
    this.#all.add(secondOf(nowMs), 1, 1);
    if (this.#all.attempts >= this.minAttempts && this.#all.isFailing) this.gate.shutEveryoneOut(nowMs);
  }

  /** Opens if every model that was used fails, and the payers of all of them agree. */
  checkModels(nowMs: number): void {
    const failing: ModelBreaker[] = [];
    let attempts = 0;
    for (const model of this.models.values()) {
      model.all.advance(secondOf(nowMs));
      if (model.all.isEmpty) continue;
      if (!model.all.isFailing) return;
      failing.push(model);
      attempts += model.all.attempts;
    }
    if (failing.length < MIN_MODELS || attempts < this.minAttempts) return;
    const payers = new Map<string, AttemptCounts>();
    for (const model of failing) {
      for (const [payer, window] of model.payers.active(nowMs)) {
        const before = payers.get(payer);
        payers.set(payer, {
          attempts: window.attempts + (before?.attempts ?? 0),
          failures: window.failures + (before?.failures ?? 0),
        });
      }
    }
    this.gate.shutOut(agreeingPayers(payers), nowMs);
  }

  close(): void {
    this.gate.close();
    this.#all.clear();
    for (const model of this.models.values()) model.forget();
  }
}

/** The breaker of one model of a provider. */
export class ModelBreaker {
  readonly gate = new BreakerGate();
  readonly provider: ProviderBreaker;
  readonly all = new AttemptWindow();
  readonly payers = new PayerWindows();

  constructor(provider: ProviderBreaker) {
    this.provider = provider;
  }

  get isOpen(): boolean {
    return this.gate.isOpen || this.provider.gate.isOpen;
  }

  /** @returns true if the payer's admitted attempt is a test */
  startTest(payer: string, nowMs: number): boolean {
    const testsProvider = this.provider.gate.startTest(payer, nowMs);
    return this.gate.startTest(payer, nowMs) || testsProvider;
  }

  testAgain(payer: string, nowMs: number): void {
    this.provider.gate.testAgain(payer, nowMs);
    this.gate.testAgain(payer, nowMs);
  }

  countAnswered(payer: string, nowMs: number): void {
    this.provider.countAttempt(nowMs);
    this.#count(payer, nowMs, 1, 0);
  }

  /** Counts a failure that the caller may have caused. @param isCounted true if its attempt is counted */
  countFailure(payer: string, nowMs: number, isCounted: boolean): void {
    if (!isCounted) this.provider.countAttempt(nowMs);
    this.#count(payer, nowMs, isCounted ? 0 : 1, 1);
    this.#check(nowMs);
    this.provider.checkModels(nowMs);
  }

  /** Closes what is open, and forgets the attempts before. */
  close(): void {
    if (this.provider.gate.isOpen) this.provider.close();
    this.gate.close();
    this.forget();
  }

  forget(): void {
    this.all.clear();
    this.payers.clear();
  }

  #count(payer: string, nowMs: number, attempts: number, failures: number): void {
    const second = secondOf(nowMs);
    this.all.add(second, attempts, failures);
    this.payers.add(payer, second, attempts, failures);
  }

  #check(nowMs: number): void {
    if (this.all.attempts < this.provider.minAttempts || !this.all.isFailing) return;
    if (this.provider.hasFailedProbe) this.gate.shutEveryoneOut(nowMs);
    else this.gate.shutOut(agreeingPayers(this.payers.active(nowMs)), nowMs);
  }
}
