import type { Command } from 'commander';
import { keyJson, keyTable } from '../../output/key.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addKeysRename(keys: Command, run: RunCommand): void {
  keys
    .command('rename')
    .description('give an API key another name')
    .argument('<KEY_ID>', 'as `keys list` shows it')
    .argument('<NAME>', 'what it is for')
    .action((keyId: string, name: string) =>
      run(async (client) => {
        const message = await client.call(CALL_DEADLINE_MS, 'accounts', 'renameKey', { keyId, name });
        const key = keyJson(message);
        return { json: key, text: keyTable([key]) };
      }),
    );
}
