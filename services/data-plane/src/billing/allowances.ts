import { type Logger, StaggeredInterval, type StopSignal } from '@model-gateway/service-kit';
import type { Payer } from '@model-gateway/shared';
import { AllowanceCalls, type AllowanceCallsOptions, NoAnswer } from './allowance-calls.ts';
import type { AllowancesOut } from './allowance-metrics.ts';
import { AllowanceReturns } from './allowance-returns.ts';
import { balanceUnavailable } from './balance-refusals.ts';
import { type Hold, identifyPayer, PayerAllowance } from './payer-allowance.ts';
import { coverWaiting, refuseUncovered, refuseWaiting, waitForMoney } from './waiting-requests.ts';

/** Interval between checks whether an allowance is idle or owes something. */
const CHECK_MS = 500;
/** Money that was not used for this long is given back. */
const IDLE_MS = 5_000;
/**
 * With very many payers money is given back later: each return means another call with the payer's next
 * request. Thousands of those would busy the control plane. Others can recall the money before.
 */
const IDLE_MS_PER_PAYER = 6;
const MAX_IDLE_MS = 60_000;
const MAX_NEEDS = 1_000;
/** After a failure requests get only what they need, and nothing is fetched in advance for this long. */
const REFILL_RETRY_MS = 1_000;

export interface AllowancesOptions extends AllowanceCallsOptions {
  log: Logger;
}

/**
 * Holds the money that this process may spend, by payer. Requests are covered without a call while there is
 * enough. Money is fetched once at a time for each payer, for many payers in one call. Unused money is given
 * back.
 */
export class Allowances {
  readonly #options: AllowancesOptions;
  readonly #calls: AllowanceCalls;
  /** The allowance that covers a payer's next request. */
  readonly #current = new Map<string, PayerAllowance>();
  /** These, and the ones that only wait for their end, by id. */
  readonly #all = new Map<string, { allowance: PayerAllowance; leave: () => void }>();
  readonly #returns: AllowanceReturns;
  readonly #looks: StaggeredInterval<PayerAllowance>;

  constructor(options: AllowancesOptions) {
    this.#options = options;
    this.#calls = new AllowanceCalls(options);
    this.#returns = new AllowanceReturns(this.#calls);
    this.#looks = new StaggeredInterval(CHECK_MS, (allowances) => this.#returnUnused(allowances));
  }

  /** Returns the money set aside now, for metrics. */
  get out(): AllowancesOut {
    const out = { payers: this.#all.size, reserved: 0n, spare: 0n, waiting: 0 };
    for (const { allowance } of this.#all.values()) {
      const { available, reserved, waiting } = allowance;
      out.reserved += reserved;
      if (available > 0n) out.spare += available;
      out.waiting += waiting.length;
    }
    return out;
  }

  start(): void {
    this.#looks.start();
  }

  /** Gives everything back. To be called when no request is running any more. */
  async close(): Promise<void> {
    this.#looks.stop();
    this.#returns.close();
    await Promise.all([...this.#all.values()].map(({ allowance }) => this.#end(allowance)));
  }

  /**
   * @throws InsufficientBalance; GatewayError 503 when nobody knows if there is enough; the signal's reason
   */
  async reserve(payer: Payer, needNanoUsd: bigint, signal: StopSignal): Promise<Hold> {
    const { lease } = this.#options;
    if (!lease.isAlive()) {
      // This process or the control plane was too busy to renew the lease.
      if (!(await lease.renewed()))
        throw balanceUnavailable(new Error('the lease of the allowances is over'));
      signal.throwIfAborted();
    }
    const allowance = this.#currentOf(payer);
    if (allowance.waiting.length === 0 && allowance.available >= needNanoUsd) {
      const hold = allowance.reserve(needNanoUsd);
      if (allowance.wantsRefill) void this.#refill(allowance);
      return hold;
    }
    return await this.#wait(allowance, needNanoUsd, signal);
  }

  /** Call this when a request has ended, with its cost; 0: nothing was delivered. */
  settle({ allowance, nanoUsd }: Hold, costNanoUsd: bigint): void {
    allowance.settle(nanoUsd, costNanoUsd);
    if (allowance.isExact) this.#returns.soon(allowance);
  }

  /** Call this when another data plane needs the unused money of an allowance. */
  recall(allowanceId: string, recall: number): void {
    const allowance = this.#all.get(allowanceId)?.allowance;
    if (allowance === undefined) {
      this.#returns.disown(allowanceId, recall);
      return;
    }
    allowance.recalled(recall);
    this.#answerRecall(allowance);
  }

  /** From now on new allowances pay for requests. The present ones end with those that they cover. */
  leaveAll(): void {
    for (const allowance of [...this.#current.values()]) this.#moveOn(allowance);
  }

  #answerRecall(allowance: PayerAllowance): void {
    allowance.giveBackUnused();
    void this.#returns.send(allowance);
  }

  #currentOf(payer: Payer): PayerAllowance {
    const payerId = identifyPayer(payer);
    const current = this.#current.get(payerId);
    if (current !== undefined) return current;
    const opened = new PayerAllowance(payer);
    this.#current.set(payerId, opened);
    this.#all.set(opened.id, { allowance: opened, leave: this.#looks.add(opened) });
    return opened;
  }

  #wait(allowance: PayerAllowance, need: bigint, signal: StopSignal): Promise<Hold> {
    const hold = waitForMoney(allowance, need, signal);
    if (allowance.isFilling) this.#calls.hurry();
    void this.#fill(allowance);
    return hold;
  }

  /** Fetches money until nobody waits. */
  async #fill(allowance: PayerAllowance): Promise<void> {
    if (allowance.isFilling) return;
    allowance.isFilling = true;
    try {
      while (coverWaiting(allowance)) {
        if (allowance.owesAnswer) this.#answerRecall(allowance);
        await this.#acquire(allowance);
        if (this.#options.lease.isAlive()) continue;
        if (!(await this.#options.lease.renewed())) throw new Error('the lease of the allowances is over');
        // The money granted before may have been given to others by now.
        this.#moveOn(allowance);
      }
    } catch (error) {
      this.#options.log.warn({ error }, 'cannot get money for requests');
      // The money may have been granted all the same. The next return finds that out.
      allowance.owesReturn = true;
      refuseWaiting(allowance, error);
    } finally {
      allowance.isFilling = false;
    }
    // A grant may have come after the recall of that money, or after those who waited for it were gone.
    if (allowance.isExact) this.#returns.soon(allowance);
  }

  async #acquire(allowance: PayerAllowance): Promise<void> {
    const asked = allowance.waiting.filter(({ need }) => need > 0n).slice(0, MAX_NEEDS);
    const needs = asked.map(({ need }) => need);
    // Some requests have cost more than they had reserved. The pools have already paid that, or could not.
    if (allowance.available < 0n) return this.#moveOn(allowance);
    // Money that does not do for the first request may be what others lack: it goes back with this call.
    allowance.giveBackUnused();
    const { returned } = allowance;
    const { lease } = this.#options;
    // A call before the ping that renews the lease would be refused, so the lease is waited for.
    if (!lease.isLive()) await lease.renewed();
    const answer = await this.#calls.acquire(allowance, needs);
    if (allowance.returned === returned) allowance.owesReturn = false;
    if (answer.closed) return this.#moveOn(allowance);
    const covered = needs.slice(0, answer.covered).reduce((sum, need) => sum + need, 0n);
    allowance.grant({ ...answer, granted: BigInt(answer.granted) }, covered);
    // Unused money went back meanwhile, so the answer is about another sum.
    if (answer.covered > 0 || allowance.returned !== returned) return;
    const unused = allowance.available > 0n ? allowance.available : 0n;
    refuseUncovered(asked, {
      availableNanoUsd: BigInt(answer.available) + unused,
      heldNanoUsd: BigInt(answer.held) - unused,
      resetsAt: answer.resetsAt === undefined ? undefined : Number(answer.resetsAt),
    });
  }

  /** Fetches money in advance, so that the next requests need not wait. */
  async #refill(allowance: PayerAllowance): Promise<void> {
    if (allowance.isFilling) return;
    allowance.isFilling = true;
    try {
      const answer = await this.#calls.acquire(allowance, []);
      if (answer.closed) this.#moveOn(allowance);
      else allowance.grant({ ...answer, granted: BigInt(answer.granted) }, 0n);
    } catch (error) {
      this.#options.log.warn({ error }, 'cannot get money in advance');
      allowance.owesReturn = true;
      allowance.refillNotBeforeMs = performance.now() + REFILL_RETRY_MS;
      // Requests that came meanwhile have waited as long, and a second call would take as long again.
      if (error instanceof NoAnswer) refuseWaiting(allowance, error);
    } finally {
      allowance.isFilling = false;
    }
    if (allowance.waiting.length > 0) void this.#fill(allowance);
    else if (allowance.isExact) this.#returns.soon(allowance);
  }

  /** Retires the allowance: its waiting requests go to another one. */
  #moveOn(allowance: PayerAllowance): void {
    this.#leave(allowance);
    const waiting = allowance.waiting.splice(0).filter(({ need }) => need > 0n);
    if (waiting.length === 0) return;
    const next = this.#currentOf(allowance.payer);
    next.waiting.push(...waiting);
    void this.#fill(next);
  }

  #leave(allowance: PayerAllowance): void {
    const payerId = identifyPayer(allowance.payer);
    allowance.isLeft = true;
    if (this.#current.get(payerId) === allowance) this.#current.delete(payerId);
  }

  /** Some of all allowances: thousands at once would hold up everything else. */
  #returnUnused(allowances: readonly PayerAllowance[]): void {
    const isAlive = this.#options.lease.isAlive();
    const nowMs = performance.now();
    const idleMs = Math.min(Math.max(IDLE_MS, this.#all.size * IDLE_MS_PER_PAYER), MAX_IDLE_MS);
    for (const allowance of allowances) {
      // Its money may have been given to others already.
      if (!isAlive) this.#leave(allowance);
      if (!allowance.isFilling) allowance.giveBackSurplus();
      if (allowance.owesReturn || allowance.owesAnswer)
        this.#returns.whenCalm(allowance, () => this.#returns.send(allowance));
      const isUsed = allowance.running + allowance.unsettled + allowance.waiting.length > 0;
      if (isUsed || allowance.isFilling) continue;
      if (!allowance.isLeft && nowMs - allowance.lastUsedMs < idleMs) continue;
      this.#returns.whenCalm(allowance, () => this.#end(allowance));
    }
  }

  /** If it fails, the next look tries again. If this process is gone, its lease runs out. */
  async #end(allowance: PayerAllowance): Promise<void> {
    this.#leave(allowance);
    if (!(await this.#returns.end(allowance))) return;
    this.#all.get(allowance.id)?.leave();
    this.#all.delete(allowance.id);
  }
}
