import type { StopSignal } from '@model-gateway/service-kit';
import type { Allowances } from './allowances.ts';
import type { Hold } from './payer-allowance.ts';

/** A request that may hold money. */
export interface HoldingRecord {
  hold?: Hold;
}

/**
 * Adds money to the hold of a running request. If the hold's allowance has ended, moves the hold to another
 * one and sets `record.hold`. Does nothing if the request has ended meanwhile.
 * @throws InsufficientBalance; GatewayError 503; the signal's reason
 */
export async function extendHold(
  allowances: Pick<Allowances, 'reserve' | 'settle'>,
  record: HoldingRecord,
  nanoUsd: bigint,
  signal: StopSignal,
): Promise<void> {
  const { hold } = record;
  if (hold === undefined) return;
  const added = await allowances.reserve(hold.allowance.funding, nanoUsd, signal);
  if (hold.isSettled === true) allowances.settle(added, 0n);
  else if (added.allowance === hold.allowance) hold.allowance.merge(hold, added);
  else await moveHold(allowances, record, { hold, added }, signal);
}

/** Replaces a hold by one of the same size in the allowance of `added`, which it includes. */
async function moveHold(
  allowances: Pick<Allowances, 'reserve' | 'settle'>,
  record: HoldingRecord,
  { hold, added }: { hold: Hold; added: Hold },
  signal: StopSignal,
): Promise<void> {
  const next: HoldingRecord = { hold: added };
  try {
    await extendHold(allowances, next, hold.nanoUsd, signal);
  } catch (failure) {
    allowances.settle(added, 0n);
    throw failure;
  }
  if (next.hold === undefined) return;
  if (hold.isSettled === true) allowances.settle(next.hold, 0n);
  else {
    allowances.settle(hold, 0n);
    record.hold = Object.assign(next.hold, { maxUnits: hold.maxUnits, serviceTier: hold.serviceTier });
  }
}
