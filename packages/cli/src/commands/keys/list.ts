import type { ApiKeyMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { keyJson, keyTable } from '../../output/key.ts';
import { readPages } from '../../read-pages.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Answer {
  keys: ApiKeyMessage[];
  nextPageToken?: string;
}

export function addKeysList(keys: Command, run: RunCommand): void {
  keys
    .command('list')
    .description("list an account's keys, revoked ones too")
    .requiredOption('--account <account>', 'account id or e-mail address')
    .action(({ account }: { account: string }) =>
      run(async (client) => ({
        pages: readPages(
          (place) =>
            client.call<Answer>(CALL_DEADLINE_MS, (stubs, ...rest) =>
              stubs.accounts.listKeys({ account, ...place }, ...rest),
            ),
          (answer) => answer.keys.map(keyJson),
        ),
        table: keyTable,
      })),
    );
}
