import type { AllowanceCalls } from './allowance-calls.ts';
import type { PayerAllowance } from './payer-allowance.ts';

/** Money that becomes free within this time is given back together. */
const RETURN_DELAY_MS = 10;
/** How many returns may run at once. Thousands would leave the control plane no time for others. */
const MAX_UNHURRIED_CALLS = 64;

/** Gives back money that no request needs. */
export class AllowanceReturns {
  readonly #calls: Pick<AllowanceCalls, 'giveBack'>;
  readonly #due = new Set<PayerAllowance>();
  readonly #unhurried = new Set<PayerAllowance>();
  #timer: NodeJS.Timeout | undefined;

  constructor(calls: Pick<AllowanceCalls, 'giveBack'>) {
    this.#calls = calls;
  }

  /** Stops sending by itself. */
  close(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Gives back what the allowance does not use within milliseconds, together with that of others, because
   * somebody waits for it.
   */
  soon(allowance: PayerAllowance): void {
    this.#due.add(allowance);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const due = [...this.#due];
      this.#due.clear();
      for (const each of due) {
        if (!each.isExact || each.waiting.length > 0) continue;
        if (each.giveBackUnused() || each.owesReturn || each.owesAnswer) void this.send(each);
      }
    }, RETURN_DELAY_MS);
  }

  /**
   * Makes one of the calls below if there is room: one at a time for each allowance, and few in all.
   * Otherwise it does nothing, and the caller must ask again.
   */
  whenCalm(allowance: PayerAllowance, call: () => Promise<void>): void {
    if (this.#unhurried.size >= MAX_UNHURRIED_CALLS || this.#unhurried.has(allowance)) return;
    this.#unhurried.add(allowance);
    void call().finally(() => this.#unhurried.delete(allowance));
  }

  /** Tells the control plane all that was given back. Never throws: what fails is still owed. */
  async send(allowance: PayerAllowance): Promise<void> {
    const { id: allowanceId, recall, returned, granted } = allowance;
    const given = {
      allowanceId,
      returned: String(returned),
      // Money to spare that was granted after an answered recall may be kept.
      recall: allowance.owesAnswer ? recall : 0,
      close: false,
      granted: String(granted),
    };
    try {
      const answer = await this.#calls.giveBack(given, allowance.isExact);
      const isAllKnown = BigInt(answer.granted) <= granted;
      if (isAllKnown) allowance.answered(recall);
      if (allowance.returned === returned) allowance.owesReturn = false;
      // If an answer to a call for more is on its way, what it brings is given back then. Else it was lost.
      if (isAllKnown || allowance.isFilling || answer.closed) return;
      allowance.grant({ granted: BigInt(answer.granted), exact: allowance.isExact, recall }, 0n);
      if (allowance.isExact) this.soon(allowance);
    } catch {
      allowance.owesReturn = true;
    }
  }

  /** Ends an allowance that nobody uses. @returns false when that is not confirmed */
  async end({ id: allowanceId, recall, returned, granted, isExact }: PayerAllowance): Promise<boolean> {
    const given = {
      allowanceId,
      returned: String(returned),
      recall,
      close: true,
      granted: String(granted),
    };
    try {
      await this.#calls.giveBack(given, isExact);
      return true;
    } catch {
      return false;
    }
  }

  /** Answers a recall of an allowance that this process does not have any more: none of it is in use. */
  disown(allowanceId: string, recall: number): void {
    this.#calls
      .giveBack({ allowanceId, returned: '0', recall, close: true, granted: '0' }, true)
      .catch(() => undefined);
  }
}
