import type { Command } from 'commander';
import { accountJson, accountTable } from '../../output/account.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Options {
  email: string;
  name?: string;
}

export function addAccountsCreate(accounts: Command, run: RunCommand): void {
  accounts
    .command('create')
    .description('create an account')
    .requiredOption('--email <address>', 'its e-mail address, which no other account has')
    .option('--name <name>', 'how it is called (what stands before the @)')
    .action(({ email, name }: Options) =>
      run(async (client) => {
        const message = await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'createAccount', {
          email,
          name: name ?? '',
        });
        const account = accountJson(message);
        return { json: account, text: accountTable([account]) };
      }),
    );
}
