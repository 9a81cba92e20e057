import type { AccountMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { accountJson, accountTable } from '../../output/account.ts';
import { readPages } from '../../read-pages.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Answer {
  accounts: AccountMessage[];
  nextPageToken?: string;
}

export function addAccountsList(accounts: Command, run: RunCommand): void {
  accounts
    .command('list')
    .description('list all accounts')
    .action(() =>
      run(async (client) => ({
        pages: readPages(
          (place) =>
            client.call<Answer>(CALL_DEADLINE_MS, (stubs, ...rest) =>
              stubs.accounts.listAccounts({ ...place }, ...rest),
            ),
          (answer) => answer.accounts.map(accountJson),
        ),
        table: accountTable,
      })),
    );
}
