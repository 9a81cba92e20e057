import type { StatementLineMessage, StatementMessage } from '@model-gateway/contracts';
import {
  balanceLines,
  creditName,
  isMonthEnded,
  isZero,
  OTHER_MONTH,
} from '@model-gateway/shared/statement-lines';
import { formatTable } from './format-table.ts';
import { usd } from './usd.ts';

type StatementJson = ReturnType<typeof statementJson>;

export function statementJson(statement: StatementMessage) {
  const { accountId, email, name, month, opening, credits, lapsed, spent, closing, otherMonth } = statement;
  return {
    account_id: accountId,
    email,
    name,
    month,
    /** Balances count limited pools; `…_unlimited`: an unlimited pool pays, too. */
    opening_usd: usd(opening),
    opening_unlimited: statement.openingUnlimited,
    credits: credits.map(({ kind, amount }) => ({ kind, amount_usd: usd(amount) })),
    lapsed_usd: usd(lapsed),
    spent_usd: usd(spent),
    /** The part of it that unlimited pools paid. */
    spent_unlimited_usd: usd(statement.spentUnlimited),
    closing_usd: usd(closing),
    closing_unlimited: statement.closingUnlimited,
    models: statement.models.map((line) => ({ model: line.id, ...lineJson(line) })),
    keys: statement.keys.map((line) => ({
      id: line.id,
      name: line.name,
      team_id: line.teamId ?? null,
      team_name: line.teamName ?? null,
      ...lineJson(line),
    })),
    other_month_usd: usd(otherMonth),
  };
}

function lineJson({ requests, amount }: StatementLineMessage) {
  return { requests: Number(requests), amount_usd: usd(amount) };
}

export function statementText(statement: StatementJson): string {
  const { account_id, email, month, credits } = statement;
  const lines = balanceLines({
    isComplete: isMonthEnded(month, Date.now()),
    openingUsd: statement.opening_usd,
    openingUnlimited: statement.opening_unlimited,
    credits: credits.map(({ kind, amount_usd }) => ({ name: creditName(kind), amountUsd: amount_usd })),
    lapsedUsd: statement.lapsed_usd,
    spentUsd: statement.spent_usd,
    spentUnlimitedUsd: statement.spent_unlimited_usd,
    closingUsd: statement.closing_usd,
    closingUnlimited: statement.closing_unlimited,
  });
  const balance = formatTable(
    ['BALANCE', 'USD'],
    lines.map(({ name, usd: amount }) => [name, amount ?? 'unlimited']),
  );
  const other = isZero(statement.other_month_usd) ? [] : [[OTHER_MONTH, '', statement.other_month_usd]];
  const models = formatTable(
    ['MODEL', 'REQUESTS', 'USD'],
    [
      ...statement.models.map(({ model, requests, amount_usd }) => [model, String(requests), amount_usd]),
      ...other,
    ],
  );
  const keys = formatTable(
    ['KEY OR SEAT', 'NAME', 'TEAM', 'REQUESTS', 'USD'],
    [
      ...statement.keys.map(({ id, name, team_name, requests, amount_usd }) => [
        id,
        name,
        team_name ?? '-',
        String(requests),
        amount_usd,
      ]),
      ...other.map(([name = '', ...amount]) => [name, '', '', ...amount]),
    ],
  );
  return `${email} (${account_id}), ${month} UTC\n\n${balance}\n${models}\n${keys}`;
}
