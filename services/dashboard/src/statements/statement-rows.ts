import { OTHER_MONTH } from '../../wire/other-month.ts';
import type { StatementResponse } from '../../wire/statements.ts';
import type { CsvRow } from '../http/send-csv.ts';

export const STATEMENT_COLUMNS = ['section', 'name', 'team', 'id', 'requests', 'amount_usd'] as const;

/** Returns the lines of a balance, from the opening to the closing one. Money taken out is negative. */
export function balanceLines(statement: StatementResponse): { section: string; name: string; usd: string }[] {
  const { openingUsd, credits, lapsedUsd, spentUsd, closingUsd } = statement;
  return [
    { section: 'opening', name: 'Opening balance', usd: openingUsd },
    ...credits.map(({ name, amountUsd }) => ({ section: 'credit', name, usd: amountUsd })),
    ...(isZero(lapsedUsd) ? [] : [{ section: 'lapsed', name: 'Credit lapsed', usd: negated(lapsedUsd) }]),
    { section: 'spent', name: 'Spent', usd: negated(spentUsd) },
    { section: 'closing', name: 'Closing balance', usd: closingUsd },
  ];
}

export function isZero(usd: string): boolean {
  return /^-?0\.0+$/.test(usd);
}

export function* statementRows(statement: StatementResponse): Generator<CsvRow> {
  for (const { section, name, usd } of balanceLines(statement)) yield [section, name, '', '', '', usd];
  const { models, keys, otherMonthUsd } = statement;
  const other = isZero(otherMonthUsd) ? [] : [[OTHER_MONTH, '', '', '', otherMonthUsd]];
  for (const { model, requests, amountUsd } of models) {
    yield ['spent_by_model', model, '', model, String(requests), amountUsd];
  }
  for (const row of other) yield ['spent_by_model', ...row];
  for (const { id, name, team, requests, amountUsd } of keys) {
    yield ['spent_by_key', name, team ?? '', id, String(requests), amountUsd];
  }
  for (const row of other) yield ['spent_by_key', ...row];
}

function negated(usd: string): string {
  if (isZero(usd)) return usd;
  return usd.startsWith('-') ? usd.slice(1) : `-${usd}`;
}
