import { inBackground, type Logger, StaggeredInterval, type StopSignal } from '@model-gateway/service-kit';
import {
  AllowanceCalls,
  type AllowanceCallsOptions,
  balanceOf,
  grantOf,
  NoResponse,
} from './allowance-calls.ts';
import { type AllowanceTotals, totalsOf } from './allowance-metrics.ts';
import { AllowanceReturns, idleMsOf } from './allowance-returns.ts';
import { balanceUnavailable } from './balance-refusals.ts';
import type { Funding } from './funding.ts';
import { type Hold, PayerAllowance } from './payer-allowance.ts';
import {
  coverWaiting,
  type Needs,
  refuseUncovered,
  refuseWaiting,
  waitForMoney,
  waitingNeeds,
} from './waiting-requests.ts';

/** How often allowances are checked for being idle or owing a report. */
const CHECK_MS = 500;
/** After a failed refill, nothing is fetched in advance for this long. */
const REFILL_RETRY_MS = 1_000;
const LEASE_OVER = 'the lease of the allowances is over';

export interface AllowancesOptions extends AllowanceCallsOptions {
  log: Logger;
}

/**
 * Holds the money that this process may spend, by payer and windows of budgets. Requests are covered in
 * memory while it lasts; more is fetched by one call at a time per allowance, batched. Unused money returns.
 */
export class Allowances {
  readonly #options: AllowancesOptions;
  readonly #calls: AllowanceCalls;
  /** The allowance for the next request, by id of the funding. */
  readonly #current = new Map<string, PayerAllowance>();
  /** All allowances by id, also retired ones that wait for their last request. */
  readonly #all = new Map<string, { allowance: PayerAllowance; stopChecks: () => void }>();
  readonly #returns: AllowanceReturns;
  readonly #checks: StaggeredInterval<PayerAllowance>;

  constructor(options: AllowancesOptions) {
    this.#options = options;
    this.#calls = new AllowanceCalls(options);
    this.#returns = new AllowanceReturns(this.#calls);
    this.#checks = new StaggeredInterval(CHECK_MS, (allowances) => this.#returnUnused(allowances));
  }

  get totals(): AllowanceTotals {
    return totalsOf([...this.#all.values()].map(({ allowance }) => allowance));
  }

  start(): void {
    this.#checks.start();
  }

  /** Returns all money. Call it when no request is running. */
  async close(): Promise<void> {
    this.#checks.stop();
    this.#returns.close();
    await Promise.all([...this.#all.values()].map(({ allowance }) => this.#end(allowance)));
  }

  /**
   * Sets money aside for a request of this funding.
   * @param wholeNeed the need of a request that cannot get more later
   * @returns the hold if the money is at hand; otherwise a promise, which rejects with InsufficientBalance,
   *   GatewayError 503 when the balance cannot be determined, or the signal's reason
   */
  reserve(funding: Funding, need: bigint, signal: StopSignal, wholeNeed = need): Hold | Promise<Hold> {
    const { lease } = this.#options;
    if (lease.ownsGrants()) return this.#reserveNow(funding, { need, wholeNeed }, signal);
    // This process or the control plane was too busy to renew the lease.
    return lease.renewed().then((isRenewed) => {
      if (!isRenewed) throw balanceUnavailable(LEASE_OVER);
      signal.throwIfAborted();
      return this.#reserveNow(funding, { need, wholeNeed }, signal);
    });
  }

  #reserveNow(funding: Funding, needs: Needs, signal: StopSignal): Hold | Promise<Hold> {
    const allowance = this.#currentOf(funding);
    const needNow = allowance.isOneByOne ? needs.wholeNeed : needs.need;
    if (allowance.waiting.length === 0 && allowance.covers(needNow)) {
      const hold = allowance.reserve(needNow);
      if (allowance.wantsRefill) inBackground(this.#refill(allowance));
      return hold;
    }
    return this.#wait(allowance, needs, signal);
  }

  /** Adds money to the hold of a running request without a call. @returns false: a call is needed */
  extendNow(hold: Hold, nanoUsd: bigint): boolean {
    const { allowance } = hold;
    if (allowance.isRetired || !this.#options.lease.ownsGrants()) return false;
    if (!allowance.extend(hold, nanoUsd)) return false;
    if (allowance.wantsRefill) inBackground(this.#refill(allowance));
    return true;
  }

  /** Call this when a request has ended, with its cost, or 0 if nothing was delivered. */
  settle(hold: Hold, costNanoUsd: bigint): void {
    hold.allowance.settle(hold, costNanoUsd);
    if (hold.allowance.isExact) this.#returns.soon(hold.allowance);
  }

  /** Call this when another data plane needs the unused money of an allowance. */
  recall(allowanceId: string, recall: number): void {
    const allowance = this.#all.get(allowanceId)?.allowance;
    if (allowance === undefined) {
      this.#returns.disown(allowanceId, recall);
      return;
    }
    allowance.markRecalled(recall);
    this.#answerRecall(allowance);
  }

  /** Retires all allowances: they end with their running requests, and new ones cover new requests. */
  retireAll(): void {
    for (const allowance of [...this.#current.values()]) this.#replace(allowance);
  }

  #answerRecall(allowance: PayerAllowance): void {
    allowance.giveBackUnused();
    inBackground(this.#returns.send(allowance));
  }

  #currentOf(funding: Funding): PayerAllowance {
    const current = this.#current.get(funding.id);
    // After a change of the calendar, the same windows may end later.
    if (current !== undefined && current.funding.endsAtMs >= funding.endsAtMs) return current;
    if (current !== undefined) this.#retire(current);
    const allowance = new PayerAllowance(funding);
    this.#current.set(funding.id, allowance);
    this.#all.set(allowance.id, { allowance, stopChecks: this.#checks.add(allowance) });
    return allowance;
  }

  #wait(allowance: PayerAllowance, needs: Needs, signal: StopSignal): Promise<Hold> {
    const hold = waitForMoney(allowance, needs, signal);
    if (allowance.isFilling) this.#calls.sendSoon();
    inBackground(this.#fill(allowance));
    return hold;
  }

  /** Fetches money until nobody waits. */
  async #fill(allowance: PayerAllowance): Promise<void> {
    if (allowance.isFilling) return;
    allowance.isFilling = true;
    try {
      while (coverWaiting(allowance)) {
        if (allowance.hasOpenRecall) this.#answerRecall(allowance);
        if (await allowance.waitForRunning()) continue;
        await this.#acquire(allowance);
        if (this.#options.lease.ownsGrants()) continue;
        if (!(await this.#options.lease.renewed())) throw new Error(LEASE_OVER);
        // After the lapse, the old grant may belong to other processes.
        this.#replace(allowance);
      }
    } catch (error) {
      this.#options.log.warn({ error }, 'cannot get money for requests');
      // The control plane may still have granted it; the next return finds out.
      allowance.owesReturn = true;
      refuseWaiting(allowance, error);
    } finally {
      allowance.isFilling = false;
    }
    // The grant may have arrived after a recall, or after its waiting requests left.
    if (allowance.isExact) this.#returns.soon(allowance);
  }

  async #acquire(allowance: PayerAllowance): Promise<void> {
    const { needs, requests } = waitingNeeds(allowance);
    // Requests cost more than they reserved. The pools have settled that, as far as they could.
    if (allowance.available < 0n) return this.#replace(allowance);
    // Too little for the first request may be enough for another process, so this call returns it.
    allowance.giveBackUnused();
    const { returned } = allowance;
    // The control plane refuses calls until a ping has renewed the lease.
    if (!this.#options.lease.isLive()) await this.#options.lease.renewed();
    const answer = await this.#calls.acquire(allowance, needs);
    if (allowance.returned === returned) allowance.owesReturn = false;
    if (answer.closed) return this.#replace(allowance);
    const covered = needs.slice(0, answer.covered).reduce((sum, need) => sum + need, 0n);
    allowance.grant(grantOf(answer), covered);
    // Money was returned meanwhile, so the response describes an old state.
    if (answer.covered > 0 || allowance.returned !== returned) return;
    const unused = allowance.available > 0n ? allowance.available : 0n;
    refuseUncovered(allowance, requests, balanceOf(answer, allowance, unused));
  }

  /** Fetches money before a request has to wait for it. */
  async #refill(allowance: PayerAllowance): Promise<void> {
    if (allowance.isFilling) return;
    allowance.isFilling = true;
    try {
      const answer = await this.#calls.acquire(allowance, []);
      if (answer.closed) this.#replace(allowance);
      else allowance.grant(grantOf(answer), 0n);
    } catch (error) {
      this.#options.log.warn({ error }, 'cannot get money in advance');
      allowance.owesReturn = true;
      allowance.refillNotBeforeMs = performance.now() + REFILL_RETRY_MS;
      // Requests that arrived meanwhile have waited long enough: do not make them wait for a second timeout.
      if (error instanceof NoResponse) refuseWaiting(allowance, error);
    } finally {
      allowance.isFilling = false;
    }
    if (allowance.waiting.length > 0) inBackground(this.#fill(allowance));
    else if (allowance.isExact) this.#returns.soon(allowance);
  }

  /** Retires the allowance, and moves its waiting requests to a new one. */
  #replace(allowance: PayerAllowance): void {
    this.#retire(allowance);
    const waiting = allowance.waiting.splice(0).filter(({ need }) => need > 0n);
    if (waiting.length === 0) return;
    const next = this.#currentOf(allowance.funding);
    next.waiting.push(...waiting);
    inBackground(this.#fill(next));
  }

  #retire(allowance: PayerAllowance): void {
    allowance.isRetired = true;
    if (this.#current.get(allowance.funding.id) === allowance) this.#current.delete(allowance.funding.id);
  }

  /** Checks a part of the allowances at a time: thousands at once would block the event loop. */
  #returnUnused(allowances: readonly PayerAllowance[]): void {
    for (const allowance of allowances) {
      // After the lease, other processes may own this money.
      if (!this.#options.lease.ownsGrants()) this.#retire(allowance);
      if (!allowance.isFilling) allowance.giveBackSurplus();
      if (allowance.hasEnded && !allowance.isFilling) allowance.giveBackUnused();
      if (allowance.owesReturn || allowance.hasOpenRecall)
        this.#returns.runUnlessBusy(allowance, () => this.#returns.send(allowance));
      const isUsed = allowance.running + allowance.unsettled + allowance.waiting.length > 0;
      if (isUsed || allowance.isFilling) continue;
      const idleMs = performance.now() - allowance.lastUsedMs;
      if (!allowance.isRetired && !allowance.hasEnded && idleMs < idleMsOf(this.#all.size)) continue;
      this.#returns.runUnlessBusy(allowance, () => this.#end(allowance));
    }
  }

  /** Closes an allowance. The next check retries a failure, and the lease covers a crash. */
  async #end(allowance: PayerAllowance): Promise<void> {
    this.#retire(allowance);
    if (!(await this.#returns.end(allowance))) return;
    this.#all.get(allowance.id)?.stopChecks();
    this.#all.delete(allowance.id);
  }
}
