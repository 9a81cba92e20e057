import type { StatusReportMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { statusJson, statusText } from '../../output/status.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addStatus(program: Command, run: RunCommand): void {
  program
    .command('status')
    .description('show the state of the installation')
    .action(() =>
      run(async (client) => {
        const report = await client.call<StatusReportMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
          stubs.admin.getStatus({}, ...rest),
        );
        const status = statusJson(report);
        return { json: status, text: statusText(status) };
      }),
    );
}
