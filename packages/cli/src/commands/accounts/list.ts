import type { AccountMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { accountJson, accountTable } from '../../output/account.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addAccountsList(accounts: Command, run: RunCommand): void {
  accounts
    .command('list')
    .description('list all accounts')
    .action(() =>
      run(async (client) => {
        const answer = await client.call<{ accounts: AccountMessage[] }>(CALL_DEADLINE_MS, (stubs, ...rest) =>
          stubs.accounts.listAccounts({}, ...rest),
        );
        const list = answer.accounts.map(accountJson);
        return { json: list, text: accountTable(list) };
      }),
    );
}
