import type { Logger } from '@model-gateway/service-kit';
import type { KeyContext } from '../keys/key-context.ts';
import { AllowanceCalls, type AllowanceCallsOptions, NoAnswer } from './allowance-calls.ts';
import { AllowanceReturns } from './allowance-returns.ts';
import { creditUnavailable, InsufficientCredit } from './credit-refusals.ts';
import { type Hold, type Payer, PayerAllowance, payerOf, type WaitingRequest } from './payer-allowance.ts';

const TICK_MS = 250;
/** Money that nobody has used for this long goes back. */
const IDLE_MS = 5_000;
/**
 * With very many payers later: each return means another call with the payer's next request, and calls for
 * thousands who come every few seconds would be all that the control plane does. Whoever needs the money
 * before has it recalled.
 */
const IDLE_MS_PER_PAYER = 6;
const MAX_IDLE_MS = 60_000;
const MAX_NEEDS = 1_000;
/** After a failure requests get what they need, and nothing is fetched in advance for this long. */
const REFILL_RETRY_MS = 1_000;

export interface AllowancesOptions extends AllowanceCallsOptions {
  log: Logger;
}

/**
 * The money this process may spend, per payer. A request is covered here, without a call, as long as there is
 * enough; calls for more run one at a time per payer, for all requests that wait. What is not used goes back.
 */
export class Allowances {
  readonly #options: AllowancesOptions;
  readonly #calls: AllowanceCalls;
  /** The allowance that covers a payer's next request. */
  readonly #current = new Map<string, PayerAllowance>();
  /** Those and the ones that only wait for their end, by id. */
  readonly #all = new Map<string, PayerAllowance>();
  readonly #returns: AllowanceReturns;
  #tick: NodeJS.Timeout | undefined;

  constructor(options: AllowancesOptions) {
    this.#options = options;
    this.#calls = new AllowanceCalls(options);
    this.#returns = new AllowanceReturns(this.#calls);
  }

  start(): void {
    this.#tick = setInterval(() => this.#returnUnused(), TICK_MS);
  }

  /** Gives everything back; no request is running any more. */
  async close(): Promise<void> {
    clearInterval(this.#tick);
    this.#returns.close();
    await Promise.all([...this.#all.values()].map((allowance) => this.#end(allowance)));
  }

  /**
   * Sets money aside for a request.
   * @param signal gives up waiting
   * @throws InsufficientCredit; GatewayError 503 while that cannot be found out; the signal's reason
   */
  async reserve(key: KeyContext, needNanoUsd: bigint, signal: AbortSignal): Promise<Hold> {
    const { lease } = this.#options;
    if (!lease.isAlive()) {
      // This process, or the control plane, was too busy to renew it.
      if (!(await lease.renewed())) throw creditUnavailable(new Error('the lease of the allowances is over'));
      signal.throwIfAborted();
    }
    const allowance = this.#currentOf(key);
    if (allowance.waiting.length === 0 && allowance.available >= needNanoUsd) {
      const hold = allowance.reserve(needNanoUsd);
      if (allowance.wantsRefill) void this.#refill(allowance);
      return hold;
    }
    return await this.#wait(allowance, needNanoUsd, signal);
  }

  /** The request has ended and costs this; nothing when nothing was delivered. */
  settle({ allowance, nanoUsd }: Hold, costNanoUsd: bigint): void {
    allowance.settle(nanoUsd, costNanoUsd);
    if (allowance.isExact) this.#returns.soon(allowance);
  }

  /** Somebody else needs what an allowance does not use. */
  recall(allowanceId: string, recall: number): void {
    const allowance = this.#all.get(allowanceId);
    if (allowance === undefined) {
      this.#returns.disown(allowanceId, recall);
      return;
    }
    allowance.recalled(recall);
    this.#answerRecall(allowance);
  }

  /**
   * Requests from now on are paid from new allowances; the ones there are end with the requests that they
   * cover.
   */
  leaveAll(): void {
    for (const allowance of [...this.#current.values()]) this.#moveOn(allowance);
  }

  #answerRecall(allowance: PayerAllowance): void {
    allowance.giveBackUnused();
    void this.#returns.send(allowance);
  }

  /** @param of a key, or what is known of a payer already */
  #currentOf(of: KeyContext | Payer): PayerAllowance {
    const payerId = of.seatId ?? of.accountId;
    const current = this.#current.get(payerId);
    if (current !== undefined) return current;
    const opened = new PayerAllowance('keyId' in of ? payerOf(of) : of);
    this.#current.set(payerId, opened);
    this.#all.set(opened.id, opened);
    return opened;
  }

  #wait(allowance: PayerAllowance, need: bigint, signal: AbortSignal): Promise<Hold> {
    return new Promise((resolve, reject) => {
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          signal.removeEventListener('abort', giveUp);
          settle(value);
        };
      const waiting: WaitingRequest = { need, resolve: settled(resolve), reject: settled(reject) };
      const giveUp = () => {
        waiting.need = 0n;
        waiting.reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp);
      allowance.waiting.push(waiting);
      void this.#fill(allowance);
    });
  }

  /** Fetches money until nobody waits. */
  async #fill(allowance: PayerAllowance): Promise<void> {
    if (allowance.isFilling) return;
    allowance.isFilling = true;
    try {
      while (this.#serve(allowance)) {
        if (allowance.owesAnswer) this.#answerRecall(allowance);
        await this.#acquire(allowance);
        if (this.#options.lease.isAlive()) continue;
        if (!(await this.#options.lease.renewed())) throw new Error('the lease of the allowances is over');
        // What was granted before may be somebody else's by now.
        this.#moveOn(allowance);
      }
    } catch (error) {
      this.#options.log.warn({ error }, 'cannot get money for requests');
      // It may have been granted all the same: the next return finds out.
      allowance.owesReturn = true;
      refuseWaiting(allowance, error);
    } finally {
      allowance.isFilling = false;
    }
    // A grant may have come after the recall that it is meant by, or after those who waited for it had gone.
    if (allowance.isExact) this.#returns.soon(allowance);
  }

  /** Covers the requests that wait, in their order. @returns whether one is left */
  #serve(allowance: PayerAllowance): boolean {
    const { waiting } = allowance;
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      // Zero: it has given up.
      if (first.need > 0n) {
        if (allowance.available < first.need) return true;
        first.resolve(allowance.reserve(first.need));
      }
      waiting.shift();
    }
    return false;
  }

  async #acquire(allowance: PayerAllowance): Promise<void> {
    const asked = allowance.waiting.filter(({ need }) => need > 0n).slice(0, MAX_NEEDS);
    const needs = asked.map(({ need }) => need);
    // Requests have cost more than they had reserved. The pools have paid that already, or could not.
    if (allowance.available < 0n) return this.#moveOn(allowance);
    // What does not suffice for the first one may be what somebody else lacks: it goes back in the same call.
    allowance.giveBackUnused();
    const { returned } = allowance;
    const { lease } = this.#options;
    // The control plane refuses a call that arrives before the ping that renews the lease.
    if (!lease.isLive()) await lease.renewed();
    const answer = await this.#calls.acquire(allowance, needs);
    if (allowance.returned === returned) allowance.owesReturn = false;
    if (answer.closed) return this.#moveOn(allowance);
    const covered = needs.slice(0, answer.covered).reduce((sum, need) => sum + need, 0n);
    allowance.grant({ ...answer, granted: BigInt(answer.granted) }, covered);
    // What requests left over went back meanwhile: the answer is about another sum.
    if (answer.covered > 0 || allowance.returned !== returned) return;
    const unused = allowance.available > 0n ? allowance.available : 0n;
    const availableNanoUsd = BigInt(answer.available) + unused;
    const heldNanoUsd = BigInt(answer.held) - unused;
    const resetsAt = answer.resetsAt === undefined ? undefined : Number(answer.resetsAt);
    for (const waiting of asked) {
      if (waiting.need <= availableNanoUsd) continue;
      waiting.need = 0n;
      waiting.reject(new InsufficientCredit({ availableNanoUsd, heldNanoUsd, resetsAt }));
    }
  }

  /** Fetches money beside the requests, so that the next ones need not wait. */
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
      // Those who came meanwhile have waited, and a second call would take as long.
      if (error instanceof NoAnswer) refuseWaiting(allowance, error);
    } finally {
      allowance.isFilling = false;
    }
    if (allowance.waiting.length > 0) void this.#fill(allowance);
    else if (allowance.isExact) this.#returns.soon(allowance);
  }

  /** The control plane has ended the allowance: those who wait go over to another one. */
  #moveOn(allowance: PayerAllowance): void {
    this.#leave(allowance);
    const waiting = allowance.waiting.splice(0).filter(({ need }) => need > 0n);
    if (waiting.length === 0) return;
    const next = this.#currentOf(allowance.payer);
    next.waiting.push(...waiting);
    void this.#fill(next);
  }

  #leave(allowance: PayerAllowance): void {
    const { seatId, accountId } = allowance.payer;
    const payerId = seatId ?? accountId;
    allowance.isLeft = true;
    if (this.#current.get(payerId) === allowance) this.#current.delete(payerId);
  }

  #returnUnused(): void {
    const isAlive = this.#options.lease.isAlive();
    const nowMs = performance.now();
    const idleMs = Math.min(Math.max(IDLE_MS, this.#all.size * IDLE_MS_PER_PAYER), MAX_IDLE_MS);
    for (const allowance of this.#all.values()) {
      // It may have been given to others already.
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

  /** Tried again at the next tick where it fails; when this process is gone, its lease runs out. */
  async #end(allowance: PayerAllowance): Promise<void> {
    this.#leave(allowance);
    if (await this.#returns.end(allowance)) this.#all.delete(allowance.id);
  }
}

function refuseWaiting({ waiting }: PayerAllowance, cause: unknown): void {
  for (const { reject } of waiting.splice(0)) reject(creditUnavailable(cause));
}
