import type { Command } from 'commander';
import { statusJson, statusText } from '../output/status-text.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

export function addStatus(program: Command, run: RunCommand): void {
  program
    .command('status')
    .description('show the state of the installation')
    .action(() =>
      run(async (client) => {
        const report = await client.call(CALL_DEADLINE_MS, 'admin', 'getStatus', {});
        const status = statusJson(report);
        return { json: status, text: statusText(status) };
      }),
    );
}
