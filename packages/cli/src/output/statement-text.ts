import type { StatementLineMessage, StatementMessage } from '@model-gateway/contracts';
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
    opening_usd: usd(opening),
    credits: credits.map(({ kind, amount }) => ({ kind, amount_usd: usd(amount) })),
    lapsed_usd: usd(lapsed),
    spent_usd: usd(spent),
    closing_usd: usd(closing),
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
  const { account_id, email, month, opening_usd, credits, lapsed_usd, spent_usd, closing_usd } = statement;
  const balance = formatTable(
    ['BALANCE', 'USD'],
    [
      ['opening', opening_usd],
      ...credits.map(({ kind, amount_usd }) => [kind, amount_usd]),
      ['lapsed', lapsed_usd],
      ['spent', spent_usd],
      ['closing', closing_usd],
    ],
  );
  const other = /[1-9]/.test(statement.other_month_usd)
    ? [['charged in another month', '', statement.other_month_usd]]
    : [];
  const models = formatTable(
    ['MODEL', 'REQUESTS', 'USD'],
    [
      ...statement.models.map(({ model, requests, amount_usd }) => [model, String(requests), amount_usd]),
      ...other,
    ],
  );
  const keys = formatTable(
    ['KEY OR SEAT', 'NAME', 'TEAM', 'REQUESTS', 'USD'],
    statement.keys.map(({ id, name, team_name, requests, amount_usd }) => [
      id,
      name,
      team_name ?? '-',
      String(requests),
      amount_usd,
    ]),
  );
  return `${email} (${account_id}), ${month} UTC\n\n${balance}\n${models}\n${keys}`;
}
