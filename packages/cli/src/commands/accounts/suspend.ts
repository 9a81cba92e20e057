import type { SuspendAccountResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { accountJson } from '../../output/account.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

export function addAccountsSuspend(accounts: Command, run: RunCommand): void {
  const suspend = addAccountArgument(accounts.command('suspend'))
    .description(
      "stop an account at once, until it is resumed: its keys, those on its teams' seats, its sign-in; " +
        'what is billed stays',
    )
    .action((argument: string | undefined, options: { account?: string }) => {
      const account = givenAccount(suspend, argument, options.account);
      return run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'accounts', 'suspendAccount', { account });
        return suspensionResult(answer);
      });
    });
}

/** Calls it done only when every data plane has confirmed it. */
export function suspensionResult({
  account: message,
  stoppedKeyIds,
  unconfirmedInstances,
}: SuspendAccountResponseMessage): CommandResult {
  const account = accountJson(message);
  const json = { ...account, stopped_key_ids: stoppedKeyIds, unconfirmed_instances: unconfirmedInstances };
  const keys = stoppedKeyIds.length === 0 ? 'no key worked any more' : `stopped ${stoppedKeyIds.join(', ')}`;
  const suspended = `${account.id} suspended; ${keys}`;
  const note = unconfirmedNote(unconfirmedInstances, `accept keys of ${account.id}`);
  if (note !== undefined) return { json, text: `${suspended}\n`, note };
  const done = stoppedKeyIds.length === 0 ? '' : '; refused everywhere from now on';
  return { json, text: `${suspended}${done}\n` };
}
