import type { StatementLineMessage, StatementMessage } from '@model-gateway/contracts';
import { formatUsd } from '@model-gateway/shared';
import { creditName, isMonthEnded } from '@model-gateway/shared/statement-lines';
import type { StatementResponse } from '../../wire/statements.ts';

export function toStatementResponse(statement: StatementMessage, now = Date.now()): StatementResponse {
  const { accountId, email, name, month } = statement;
  return {
    accountId,
    email,
    name,
    month,
    isComplete: isMonthEnded(month, now),
    openingUsd: usd(statement.opening),
    openingUnlimited: statement.openingUnlimited,
    credits: statement.credits.map(({ kind, amount }) => ({
      name: creditName(kind),
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
