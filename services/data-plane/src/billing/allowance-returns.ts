import type { AllowanceCalls } from './allowance-calls.ts';
import type { PayerAllowance } from './payer-allowance.ts';

/** What ends within this time goes back together. */
const RETURN_DELAY_MS = 10;
/** Under way at one time beside the requests: thousands at once would leave the control plane no time for anything else. */
const MAX_UNHURRIED_CALLS = 64;

/** Gives money back that no request needs. */
export class AllowanceReturns {
  readonly #calls: Pick<AllowanceCalls, 'giveBack'>;
  readonly #due = new Set<PayerAllowance>();
  readonly #unhurried = new Set<PayerAllowance>();
  #timer: NodeJS.Timeout | undefined;

  constructor(calls: Pick<AllowanceCalls, 'giveBack'>) {
    this.#calls = calls;
  }

  /** Sends nothing more by itself. */
  close(): void {
    clearTimeout(this.#timer);
  }

  /** What the allowance does not use goes back within milliseconds, with that of others: somebody waits for it. */
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

  /** Makes one of the calls below when it is its turn: one for each allowance, few in all. Else it has to be asked for again. */
  whenCalm(allowance: PayerAllowance, call: () => Promise<void>): void {
    if (this.#unhurried.size >= MAX_UNHURRIED_CALLS || this.#unhurried.has(allowance)) return;
    this.#unhurried.add(allowance);
    void call().finally(() => this.#unhurried.delete(allowance));
  }

  /** Says all that was given back. Never throws: the allowance still owes it then. */
  async send(allowance: PayerAllowance): Promise<void> {
    const { id: allowanceId, recall, returned, granted } = allowance;
    try {
      const answer = await this.#calls.giveBack({
        allowanceId,
        returned: String(returned),
        // What was granted to spare after a recall that is answered may be kept.
        recall: allowance.owesAnswer ? recall : 0,
        close: false,
        granted: String(granted),
      });
      const isAllKnown = BigInt(answer.granted) <= granted;
      if (isAllKnown) allowance.answered(recall);
      if (allowance.returned === returned) allowance.owesReturn = false;
      // An answer to a call for more is on its way, and then what it brings goes back; or it was lost.
      if (isAllKnown || allowance.isFilling || answer.closed) return;
      allowance.grant({ granted: BigInt(answer.granted), exact: allowance.isExact, recall }, 0n);
      if (allowance.isExact) this.soon(allowance);
    } catch {
      allowance.owesReturn = true;
    }
  }

  /** Ends an allowance that nobody uses. @returns false when that is not confirmed */
  async end({ id: allowanceId, recall, returned, granted }: PayerAllowance): Promise<boolean> {
    try {
      await this.#calls.giveBack({
        allowanceId,
        returned: String(returned),
        recall,
        close: true,
        granted: String(granted),
      });
      return true;
    } catch {
      return false;
    }
  }

  /** Answers a recall of an allowance that is not ours (any more): nothing of it is in use here. */
  disown(allowanceId: string, recall: number): void {
    this.#calls
      .giveBack({ allowanceId, returned: '0', recall, close: true, granted: '0' })
      .catch(() => undefined);
  }
}
