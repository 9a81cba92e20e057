import { balanceLines, isZero, OTHER_MONTH } from '@model-gateway/shared/statement-lines';
import type { StatementResponse } from '../../wire/statements.ts';
import type { CsvRow } from '../http/send-csv.ts';

export const STATEMENT_COLUMNS = ['section', 'name', 'team', 'id', 'requests', 'amount_usd'] as const;

export function* statementRows(statement: StatementResponse): Generator<CsvRow> {
  for (const { section, name, usd } of balanceLines(statement)) {
    yield usd === null ? [section, `${name}: unlimited`, '', '', '', ''] : [section, name, '', '', '', usd];
  }
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
