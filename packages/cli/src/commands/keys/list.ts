import type { ApiKeyMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { keyJson, keyTable } from '../../output/key.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addKeysList(keys: Command, run: RunCommand): void {
  keys
    .command('list')
    .description("list an account's keys, revoked ones too")
    .requiredOption('--account <account>', 'account id or e-mail address')
    .action(({ account }: { account: string }) =>
      run(async (client) => {
        const answer = await client.call<{ keys: ApiKeyMessage[] }>(CALL_DEADLINE_MS, (stubs, ...rest) =>
          stubs.accounts.listKeys({ account }, ...rest),
        );
        const list = answer.keys.map(keyJson);
        return { json: list, text: keyTable(list) };
      }),
    );
}
