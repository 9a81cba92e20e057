import { accountOfPayer } from '../keys/key-context.ts';
import { type AttemptCounts, AttemptWindow, isFailing, secondOf } from './attempt-window.ts';
import { MIN_AGREEING } from './breaker-gate.ts';

/** Payers that are tracked at once. A sample is enough to find out whether they agree. */
const MAX_PAYERS = 32;

/** The attempts of the last ten seconds by payer, of at most 32 payers. */
export class PayerWindows {
  readonly #windows = new Map<string, AttemptWindow>();
  #sweptInSecond = -1;

  /** Counts an attempt. Ignores a payer beyond the maximum. */
  add(payer: string, second: number, attempts: number, failures: number): void {
    let window = this.#windows.get(payer);
    if (window === undefined) {
      if (this.#windows.size >= MAX_PAYERS) this.#sweep(second);
      if (this.#windows.size >= MAX_PAYERS) return;
      window = new AttemptWindow();
      this.#windows.set(payer, window);
    }
    window.add(second, attempts, failures);
  }

  /** Yields the payers with attempts in the window. */
  *active(nowMs: number): Generator<[payer: string, window: AttemptWindow]> {
    const second = secondOf(nowMs);
    for (const entry of this.#windows) {
      entry[1].advance(second);
      if (!entry[1].isEmpty) yield entry;
    }
  }

  clear(): void {
    this.#windows.clear();
  }

  /** Forgets payers without attempts, at most once per second. */
  #sweep(second: number): void {
    if (this.#sweptInSecond === second) return;
    this.#sweptInSecond = second;
    for (const [payer, window] of this.#windows) {
      window.advance(second);
      if (window.isEmpty) this.#windows.delete(payer);
    }
  }
}

/**
 * Returns the failing payers if they are all of one or two payers, or at least three and half of all. How
 * often one fails does not count. Payers of several accounts count by account.
 * @returns an empty list if the payers do not agree
 */
export function agreeingPayers(payers: Iterable<[payer: string, counts: AttemptCounts]>): string[] {
  let active = 0;
  const failing: string[] = [];
  const activeAccounts = new Set<string>();
  for (const [payer, counts] of payers) {
    active++;
    activeAccounts.add(accountOfPayer(payer));
    if (isFailing(counts)) failing.push(payer);
  }
  const isAgreed =
    activeAccounts.size > 1
      ? isMajority(new Set(failing.map(accountOfPayer)).size, activeAccounts.size)
      : isMajority(failing.length, active);
  return isAgreed ? failing : [];
}

function isMajority(failing: number, active: number): boolean {
  return failing < MIN_AGREEING ? failing === active : failing >= active / 2;
}
