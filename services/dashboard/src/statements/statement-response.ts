import type { StatementLineMessage, StatementMessage } from '@model-gateway/contracts';
import { formatUsd } from '@model-gateway/shared';
import type { StatementResponse } from '../../wire/statements.ts';

/** Names of the ledger's kinds, as account holders see them. */
const CREDIT_NAMES: Record<string, string> = {
  included: 'Credit added',
  reset: 'Monthly budget renewed',
  changed: 'Credit changed by the operator',
  moved: 'Credit moved',
  removed: 'Credit removed by the operator',
};

export function toStatementResponse(statement: StatementMessage, now = Date.now()): StatementResponse {
  const { accountId, email, name, month } = statement;
  return {
    accountId,
    email,
    name,
    month,
    isComplete: endOf(month) <= now,
    openingUsd: usd(statement.opening),
    openingUnlimited: statement.openingUnlimited,
    credits: statement.credits.map(({ kind, amount }) => ({
      name: CREDIT_NAMES[kind] ?? kind,
      amountUsd: usd(amount),
    })),
    lapsedUsd: usd(statement.lapsed),
    spentUsd: usd(statement.spent),
    spentUnlimitedUsd: usd(statement.spentUnlimited),
    closingUsd: usd(statement.closing),
    closingUnlimited: statement.closingUnlimited,
    models: statement.models.map((line) => ({ model: line.id, ...toLine(line) })),
    keys: statement.keys.map((line) => ({
      id: line.id,
      name: line.name,
      team: line.teamName ?? null,
      ...toLine(line),
    })),
    otherMonthUsd: usd(statement.otherMonth),
  };
}

function toLine({ requests, amount }: StatementLineMessage) {
  return { requests: Number(requests), amountUsd: usd(amount) };
}

function usd(nanoUsd: string): string {
  return formatUsd(BigInt(nanoUsd));
}

function endOf(month: string): number {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return Date.UTC(year, number);
}
