import type { Command } from 'commander';
import { keyJson } from '../../output/key.ts';
import { formatTable } from '../../output/table.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addKeysOldPepper(keys: Command, run: RunCommand): void {
  keys
    .command('old-pepper')
    .description('list the active keys that still have the hash of an earlier pepper')
    .action(() =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'admin', 'listOldPepperKeys', {});
        const list = answer.keys.map(keyJson);
        const table = formatTable(
          ['ID', 'ACCOUNT', 'NAME', 'PREFIX', 'CREATED'],
          list.map((key) => [key.id, key.account_id, key.name, key.prefix, key.created_at]),
        );
        const summary = `${answer.total} active keys have not moved to the pepper in force\n`;
        return {
          json: { total: answer.total, keys: list },
          text: `${list.length === 0 ? '' : table}${summary}`,
        };
      }),
    );
}
