import type { StopSignal } from '@model-gateway/service-kit';
import { type BalanceFigures, balanceUnavailable, InsufficientBalance } from './balance-refusals.ts';
import type { Hold, PayerAllowance, WaitingRequest } from './payer-allowance.ts';

export type Needs = Pick<WaitingRequest, 'need' | 'wholeNeed'>;

/** Queues a request for money of its payer, within its budgets. @throws the signal's reason */
export function waitForMoney(
  allowance: PayerAllowance,
  { need, wholeNeed }: Needs,
  signal: StopSignal,
): Promise<Hold> {
  return new Promise((resolve, reject) => {
    const settled =
      <Value>(settle: (value: Value) => void) =>
      (value: Value) => {
        signal.removeEventListener('abort', giveUp);
        settle(value);
      };
    const waiting: WaitingRequest = { need, wholeNeed, resolve: settled(resolve), reject: settled(reject) };
    const giveUp = () => {
      waiting.need = 0n;
      waiting.reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp);
    allowance.waiting.push(waiting);
  });
}

/** Covers waiting requests in order. @returns true if one remains uncovered */
export function coverWaiting(allowance: PayerAllowance): boolean {
  const { waiting } = allowance;
  for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
    // Zero: the request has given up.
    if (first.need > 0n) {
      const need = needOf(allowance, first);
      if (!allowance.covers(need)) return true;
      first.resolve(allowance.reserve(need));
    }
    waiting.shift();
  }
  return false;
}

const MAX_NEEDS = 1_000;

/** Returns as many waiting requests as fit into a call, and their needs. */
export function waitingNeeds(allowance: PayerAllowance): { requests: WaitingRequest[]; needs: bigint[] } {
  const requests = allowance.waiting.filter(({ need }) => need > 0n).slice(0, MAX_NEEDS);
  return { requests, needs: requests.map((request) => needOf(allowance, request)) };
}

/** Returns the need of a request: all at once if its payer has uncollected money. */
function needOf({ isOneByOne }: PayerAllowance, { need, wholeNeed }: WaitingRequest): bigint {
  return isOneByOne ? wholeNeed : need;
}

export function refuseWaiting({ waiting }: PayerAllowance, cause: unknown): void {
  for (const { reject } of waiting.splice(0)) reject(balanceUnavailable(cause));
}

export function refuseUncovered(
  allowance: PayerAllowance,
  waiting: readonly WaitingRequest[],
  { budget, ...pools }: BalanceFigures,
): void {
  for (const request of waiting) {
    const need = needOf(allowance, request);
    const isOverBudget = budget !== undefined && need > budget.availableNanoUsd;
    if (need <= pools.availableNanoUsd && !isOverBudget) continue;
    request.need = 0n;
    request.reject(new InsufficientBalance(isOverBudget ? { ...pools, budget } : pools));
  }
}
