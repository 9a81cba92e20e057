import type { AcquireAllowanceRequestMessage } from '@model-gateway/contracts';
import type { PayerLevel } from '@model-gateway/shared';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { AllowanceRequest } from './allowance-store.ts';

const MAX_NEEDS = 1_000;
/** Exceeds the budgets of all levels. */
const MAX_BUDGETS = 64;
/** Matches a budget, its window, and an end user if it has one. */
const BUDGET_WINDOW = /^[\w-]+\/[\w-]+(\/.+)?$/s;

/** @throws ControlPlaneError invalid_argument */
export function parseAllowanceRequest(message: AcquireAllowanceRequestMessage): AllowanceRequest {
  const needs = message.needs.map(BigInt);
  if (
    message.allowanceId === '' ||
    message.instanceId === '' ||
    message.payer.length === 0 ||
    !message.payer.every(isLevel) ||
    needs.length > MAX_NEEDS ||
    needs.includes(0n) ||
    message.budgets.length > MAX_BUDGETS ||
    !message.budgets.every((budget) => BUDGET_WINDOW.test(budget))
  ) {
    throw invalidArgument(
      'an allowance needs ids, a payer with a kind and an id of each level, at most 1000 needs above 0, and ' +
        'at most 64 windows of budgets',
    );
  }
  return {
    id: message.allowanceId,
    payer: message.payer,
    budgets: message.budgets,
    needs,
    spare: BigInt(message.spare),
    returned: BigInt(message.returned),
  };
}

/** The kind need not be known here: a data plane may have it from a newer control plane. */
function isLevel({ kind, id }: PayerLevel): boolean {
  return /^[a-z_]+$/.test(kind) && id !== '';
}

/** One call locks the pools of all its payers until it commits, so it must be short. */
const MAX_ALLOWANCES = 100;

/** @throws ControlPlaneError invalid_argument: too many allowances for one call, or one of them twice */
export function requireDistinctAllowances(allowances: readonly { id: string }[]): void {
  const isDistinct = new Set(allowances.map(({ id }) => id)).size === allowances.length;
  if (isDistinct && allowances.length <= MAX_ALLOWANCES) return;
  throw invalidArgument('at most 100 allowances in a call, each of them once');
}
