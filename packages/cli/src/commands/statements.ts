import type { Command } from 'commander';
import { addAccountArgument, onAccount } from '../account-argument.ts';
import { statementJson, statementText } from '../output/statement-text.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

interface ShowOptions {
  account?: string;
  month?: string;
}

export function addStatements(program: Command, run: RunCommand): void {
  const statements = program.command('statements').description("show an account's monthly statements");
  addStatementsShow(statements, run);
}

function addStatementsShow(statements: Command, run: RunCommand): void {
  const show = addAccountArgument(statements.command('show')).description(
    'show credit, spend by model and by key or seat, and balances of a month, by the ledger',
  );
  show.option('--month <month>', 'month in UTC, such as 2026-11 (the current one)');
  onAccount(show, (account, { month = currentMonth() }: ShowOptions) =>
    run(async (client) => {
      const given = await client.call(CALL_DEADLINE_MS, 'pools', 'getStatement', { account, month });
      const statement = statementJson(given);
      return { json: statement, text: statementText(statement) };
    }),
  );
}

function currentMonth(): string {
  return new Date().toISOString().slice(0, 7);
}
