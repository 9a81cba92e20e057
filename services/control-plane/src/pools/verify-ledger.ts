import type { Disagreement, LedgerStore } from './ledger-store.ts';

const MAX_DISAGREEMENTS = 1_000;

/** Compares all sums of money in one database snapshot; takes minutes with many usage records. */
export async function verifyLedger(
  { ledgerStore }: { ledgerStore: Pick<LedgerStore, 'snapshot'> },
  signal: AbortSignal,
) {
  await using ledger = await ledgerStore.snapshot(signal);
  const disagreements: Disagreement[] = [];
  for (const check of ledger.checks) {
    const left = MAX_DISAGREEMENTS - disagreements.length;
    if (left === 0) break;
    disagreements.push(...(await check(left)));
  }
  return { counts: await ledger.counts(), disagreements };
}
