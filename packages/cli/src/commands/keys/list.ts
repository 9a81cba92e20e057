import type { ApiKeyMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { keyJson, keyTable } from '../../output/key.ts';
import { readPages } from '../../read-pages.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Answer {
  keys: ApiKeyMessage[];
  nextPageToken?: string;
}

export function addKeysList(keys: Command, run: RunCommand): void {
  const list = addAccountArgument(keys.command('list'))
    .description("list an account's keys, revoked ones too")
    .action((argument: string | undefined, options: { account?: string }) => {
      const account = givenAccount(list, argument, options.account);
      return run(async (client) => ({
        pages: readPages(
          (place) =>
            client.call<Answer>(CALL_DEADLINE_MS, (stubs, ...rest) =>
              stubs.accounts.listKeys({ account, ...place }, ...rest),
            ),
          (answer) => answer.keys.map(keyJson),
        ),
        table: keyTable,
      }));
    });
}
