import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { limitsJson, limitsTable } from '../../output/limits.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addLimitsShow(limits: Command, run: RunCommand): void {
  const show = addAccountArgument(limits.command('show'))
    .description("show the limits of an account's keys")
    .action((argument: string | undefined, options: { account?: string }) => {
      const account = givenAccount(show, argument, options.account);
      return run(async (client) => {
        const message = await client.call(CALL_DEADLINE_MS, 'accounts', 'getLimits', { account });
        const result = limitsJson(message);
        return { json: result, text: limitsTable(result) };
      });
    });
}
