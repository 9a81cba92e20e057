import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { keyJson, keyTable } from '../../output/key.ts';
import { readAllPages } from '../../read-all-pages.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addKeysList(keys: Command, run: RunCommand): void {
  const list = addAccountArgument(keys.command('list'))
    .description("list an account's keys, revoked ones too")
    .action((argument: string | undefined, options: { account?: string }) => {
      const account = givenAccount(list, argument, options.account);
      return run(async (client) => ({
        pages: readAllPages(
          (place) => client.call(CALL_DEADLINE_MS, 'accounts', 'listKeys', { account, ...place }),
          (answer) => answer.keys.map(keyJson),
        ),
        table: keyTable,
      }));
    });
}
