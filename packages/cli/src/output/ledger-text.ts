import type { VerifyLedgerResponseMessage } from '@model-gateway/contracts';
import { formatTable } from './format-table.ts';

type LedgerJson = ReturnType<typeof ledgerJson>;

/** The control plane reports at most 1000 disagreements. */
export function ledgerJson(answer: VerifyLedgerResponseMessage) {
  return {
    pools: Number(answer.pools),
    usage_records: Number(answer.usageRecords),
    ledger_entries: Number(answer.ledgerEntries),
    disagreements: answer.disagreements.map(({ kind, id, problem }) => ({ kind, id, problem })),
  };
}

/** Amounts in the problems are nano-USD. */
export function ledgerText({ pools, usage_records, ledger_entries, disagreements }: LedgerJson): string {
  const checked = `${pools} pools, ${usage_records} usage records and ${ledger_entries} ledger entries`;
  if (disagreements.length === 0) return `${checked} agree.\n`;
  return formatTable(
    ['KIND', 'ID', 'PROBLEM (NANO-USD)'],
    disagreements.map(({ kind, id, problem }) => [kind, id, problem]),
  );
}

/** @returns undefined when everything agrees */
export function ledgerNote({ disagreements }: LedgerJson): string | undefined {
  return disagreements.length === 0 ? undefined : `${disagreements.length} rows DISAGREE`;
}
