import { inBackground } from '@model-gateway/service-kit';
import type { AllowanceCalls } from './allowance-calls.ts';
import type { PayerAllowance } from './payer-allowance.ts';

/** Unused allowances are returned after this time. */
const IDLE_MS = 5_000;
/** With many payers, idle money stays longer: a return costs a call at the payer's next request. */
const IDLE_MS_PER_PAYER = 6;
const MAX_IDLE_MS = 60_000;

export function idleMsOf(payers: number): number {
  return Math.min(Math.max(IDLE_MS, payers * IDLE_MS_PER_PAYER), MAX_IDLE_MS);
}

/** Money that becomes free within this time is given back together. */
const RETURN_DELAY_MS = 10;
/** Maximum concurrent returns. Thousands would starve the control plane's other callers. */
const MAX_CALLS = 64;

export class AllowanceReturns {
  readonly #calls: Pick<AllowanceCalls, 'giveBack'>;
  readonly #due = new Set<PayerAllowance>();
  readonly #running = new Set<PayerAllowance>();
  #timer: NodeJS.Timeout | undefined;

  constructor(calls: Pick<AllowanceCalls, 'giveBack'>) {
    this.#calls = calls;
  }

  /** Stops the timer. Calls to `send` still work. */
  close(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Returns the unused money of an allowance within milliseconds, batched with others: another process waits
   * for it.
   */
  soon(allowance: PayerAllowance): void {
    this.#due.add(allowance);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const due = [...this.#due];
      this.#due.clear();
      for (const each of due) {
        if (!each.isExact || each.waiting.length > 0) continue;
        if (each.giveBackUnused() || each.owesReturn || each.hasOpenRecall) inBackground(this.send(each));
      }
    }, RETURN_DELAY_MS);
  }

  /**
   * Runs a call unless the allowance already has one or too many run. Then it does nothing, and the caller
   * retries later.
   */
  runUnlessBusy(allowance: PayerAllowance, call: () => Promise<void>): void {
    if (this.#running.size >= MAX_CALLS || this.#running.has(allowance)) return;
    this.#running.add(allowance);
    inBackground(call().finally(() => this.#running.delete(allowance)));
  }

  /** Reports the total returned so far. Never throws: a failed report stays owed. */
  async send(allowance: PayerAllowance): Promise<void> {
    const { id: allowanceId, recall, returned, granted } = allowance;
    const given = {
      allowanceId,
      returned: String(returned),
      // Spare money that was granted after an answered recall stays here.
      recall: allowance.hasOpenRecall ? recall : 0,
      close: false,
      granted: String(granted),
    };
    try {
      const answer = await this.#calls.giveBack(given, allowance.isExact);
      const isAllKnown = BigInt(answer.granted) <= granted;
      if (isAllKnown) allowance.markRecallAnswered(recall);
      if (allowance.returned === returned) allowance.owesReturn = false;
      // A pending acquire returns that money when its response arrives. Without one, the response was lost.
      if (isAllKnown || allowance.isFilling || answer.closed) return;
      allowance.grant({ granted: BigInt(answer.granted), exact: allowance.isExact, recall }, 0n);
      if (allowance.isExact) this.soon(allowance);
    } catch {
      allowance.owesReturn = true;
    }
  }

  /** Closes an unused allowance. @returns false if the control plane did not confirm it */
  async end({ id: allowanceId, recall, returned, granted, isExact }: PayerAllowance): Promise<boolean> {
    const totals = { returned: String(returned), granted: String(granted) };
    try {
      await this.#calls.giveBack({ allowanceId, ...totals, recall, close: true }, isExact);
      return true;
    } catch {
      return false;
    }
  }

  /** Answers a recall of an allowance that this process no longer has: none of it is in use. */
  disown(allowanceId: string, recall: number): void {
    this.#calls
      .giveBack({ allowanceId, returned: '0', recall, close: true, granted: '0' }, true)
      .catch(() => undefined);
  }
}
