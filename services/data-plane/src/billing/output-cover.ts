import type { ChatMeter } from '@model-gateway/dialects';
import type { StopSignal } from '@model-gateway/service-kit';
import { GatewayError, maxCostOf, type Price, type Unit, type Units } from '@model-gateway/shared';
import { balanceUsedUp } from '@model-gateway/shared/errors';
import type { Allowances } from './allowances.ts';
import { InsufficientBalance } from './balance-refusals.ts';
import { extendHold, type HoldingRecord } from './extend-hold.ts';

/** Models' output has longer tokens, except for digits, punctuation and rare characters. */
const BYTES_PER_TOKEN = 3;
/** Extends a hold if the pools cannot cover twice the output. */
const SMALL_STEP_TOKENS = 1_024;

interface OutputCoverOptions {
  allowances: Pick<Allowances, 'extendNow' | 'reserve' | 'settle'>;
  record: HoldingRecord;
  signal: StopSignal;
  /** Returns the URL where the account buys credit; undefined: there is none. */
  creditUrl: () => string | undefined;
  price: Price;
  /** The units that the hold covers. The output grows with the hold. */
  maxUnits: Units;
  unusedUnits: readonly Unit[];
  wholeOutput: number;
  choices: number;
  /** Output tokens that are never delivered, such as rejected predictions. */
  unseenTokens: number;
  meter: Pick<ChatMeter, 'deliveredBytes' | 'hiddenTokens'>;
  /** Returns true if the model is known to think unseen. */
  reasons: () => boolean;
}

/** Reserves money for a stream step by step, each time before more output is delivered. */
export class OutputCover {
  readonly #options: OutputCoverOptions;
  /** Output tokens and bytes that may be delivered. */
  #coveredTokens: number;
  #coveredBytes = 0;
  #hiddenTokens = 0;

  constructor(options: OutputCoverOptions) {
    this.#options = options;
    this.#coveredTokens = options.maxUnits.outputTokens;
    this.#updateCoveredBytes();
  }

  /** Returns true if more was delivered than the hold covers. Called for each event of a stream. */
  get isShort(): boolean {
    return this.#options.meter.deliveredBytes > this.#coveredBytes;
  }

  get deliveredBytes(): number {
    return this.#options.meter.deliveredBytes;
  }

  set deliveredBytes(bytes: number) {
    this.#options.meter.deliveredBytes = bytes;
  }

  /** Counts hidden thinking by its time. @param sentAtMs when the request was sent, by `performance.now()` */
  countHidden(sentAtMs: number): void {
    const { choices, meter, reasons } = this.#options;
    // All choices think at the same time.
    const hidden = choices * meter.hiddenTokens(sentAtMs, reasons());
    if (hidden === this.#hiddenTokens) return;
    this.#hiddenTokens = hidden;
    this.#updateCoveredBytes();
  }

  /**
   * Reserves money until the hold covers what was delivered.
   * @returns undefined if that took no call
   * @throws in the promise: GatewayError 402 if the pools cannot cover it, or the stop signal's reason
   */
  extend(): Promise<void> | undefined {
    while (this.isShort) {
      const output = this.#nextOutput(2 * this.#coveredTokens);
      if (!this.#holdNow(output)) return this.#fetch(output);
      this.#cover(output);
    }
    return undefined;
  }

  async #fetch(output: number): Promise<void> {
    const smaller = this.#nextOutput(this.#neededTokens + SMALL_STEP_TOKENS);
    const missing = await this.#hold(output);
    if (missing === undefined) return;
    const stillMissing = smaller < output ? await this.#hold(smaller) : missing;
    if (stillMissing !== undefined) throw this.#usedUp(smaller, stillMissing);
  }

  /** @returns undefined if the output is held now */
  async #hold(output: number): Promise<InsufficientBalance | undefined> {
    const { allowances, record, signal } = this.#options;
    try {
      await extendHold(allowances, record, this.#missing(output), signal);
    } catch (failure) {
      if (failure instanceof InsufficientBalance) return failure;
      if (signal.aborted || !(failure instanceof GatewayError)) throw failure;
      // No control plane responds. The stream continues, and is charged as far as the pools cover it.
      this.#allow(output);
      return undefined;
    }
    this.#cover(output);
    return undefined;
  }

  /** Holds the money for an output, if that takes no call. @returns false: a call is needed */
  #holdNow(output: number): boolean {
    const { allowances, record } = this.#options;
    const { hold } = record;
    const missing = this.#missing(output);
    return hold === undefined || missing <= 0n || allowances.extendNow(hold, missing);
  }

  #cover(output: number): void {
    this.#options.maxUnits.outputTokens = output;
    this.#allow(output);
  }

  #allow(output: number): void {
    this.#coveredTokens = output;
    this.#updateCoveredBytes();
  }

  #updateCoveredBytes(): void {
    const { unseenTokens, wholeOutput } = this.#options;
    const visible = this.#coveredTokens - unseenTokens - this.#hiddenTokens;
    this.#coveredBytes =
      this.#coveredTokens >= wholeOutput ? Number.POSITIVE_INFINITY : visible * BYTES_PER_TOKEN;
  }

  get #neededTokens(): number {
    const { meter, unseenTokens } = this.#options;
    return unseenTokens + this.#hiddenTokens + Math.ceil(meter.deliveredBytes / BYTES_PER_TOKEN);
  }

  #nextOutput(wanted: number): number {
    return Math.min(this.#options.wholeOutput, Math.max(wanted, this.#neededTokens));
  }

  /** Returns what the hold lacks for an output, in nano-USD. It may hold more, for a dearer model. */
  #missing(outputTokens: number): bigint {
    const { maxUnits, price, record, unusedUnits } = this.#options;
    const held = record.hold?.nanoUsd ?? 0n;
    return maxCostOf({ ...maxUnits, outputTokens }, price, unusedUnits) - held;
  }

  #usedUp(output: number, failure: InsufficientBalance): GatewayError {
    return balanceUsedUp({
      neededNanoUsd: this.#missing(output),
      ...failure.missing(this.#options.record.hold?.nanoUsd),
      creditUrl: this.#options.creditUrl(),
    });
  }
}
