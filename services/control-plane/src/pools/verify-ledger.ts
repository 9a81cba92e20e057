import type { LedgerMismatchStore } from './ledger-mismatch-store.ts';
import type { Disagreement, LedgerPart, LedgerStore } from './ledger-store.ts';

const MAX_DISAGREEMENTS = 1_000;

type LedgerSnapshot = Awaited<ReturnType<LedgerStore['snapshot']>>;

/**
 * Compares all sums of money in one database snapshot; takes minutes with many usage records. Events report
 * disagreements that were not found before.
 */
export async function verifyLedger(
  {
    ledgerMismatchStore,
    ledgerStore,
  }: { ledgerMismatchStore: LedgerMismatchStore; ledgerStore: Pick<LedgerStore, 'snapshot'> },
  signal: AbortSignal,
) {
  const { counts, disagreements, isComplete } = await compareAll(ledgerStore, signal);
  await ledgerMismatchStore.report(disagreements, isComplete);
  return { counts, disagreements };
}

/** Ends the snapshot before its caller writes. */
async function compareAll(ledgerStore: Pick<LedgerStore, 'snapshot'>, signal: AbortSignal) {
  await using ledger = await ledgerStore.snapshot(signal);
  const found = await disagreementsOf(ledger);
  return { ...found, counts: await ledger.counts() };
}

/** @returns `isComplete`: there are no disagreements beside these */
export async function findMismatches(
  { ledgerStore }: { ledgerStore: Pick<LedgerStore, 'snapshot'> },
  which: LedgerPart,
  signal: AbortSignal,
) {
  await using ledger = await ledgerStore.snapshot(signal, which);
  const { disagreements, isComplete } = await disagreementsOf(ledger);
  return { disagreements, isComplete: isComplete && which === 'all' };
}

async function disagreementsOf(ledger: LedgerSnapshot) {
  const disagreements: Disagreement[] = [];
  for (const check of ledger.checks) {
    const left = MAX_DISAGREEMENTS - disagreements.length;
    if (left === 0) break;
    disagreements.push(...(await check(left)));
  }
  return { disagreements, isComplete: disagreements.length < MAX_DISAGREEMENTS };
}
