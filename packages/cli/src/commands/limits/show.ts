import type { AccountLimitsMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { limitsJson, limitsTable } from '../../output/limits.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addLimitsShow(limits: Command, run: RunCommand): void {
  limits
    .command('show')
    .description("show the limits of an account's keys")
    .requiredOption('--account <account>', 'account id or e-mail address')
    .action(({ account }: { account: string }) =>
      run(async (client) => {
        const message = await client.call<AccountLimitsMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
          stubs.accounts.getLimits({ account }, ...rest),
        );
        const result = limitsJson(message);
        return { json: result, text: limitsTable(result) };
      }),
    );
}
