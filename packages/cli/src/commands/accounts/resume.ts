import type { ResumeAccountResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { accountJson } from '../../output/account.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

export function addAccountsResume(accounts: Command, run: RunCommand): void {
  const resume = addAccountArgument(accounts.command('resume'))
    .description('let a suspended account and its keys work again, but for keys that were revoked meanwhile')
    .action((argument: string | undefined, options: { account?: string }) => {
      const account = givenAccount(resume, argument, options.account);
      return run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'accounts', 'resumeAccount', { account });
        return resumptionResult(answer);
      });
    });
}

export function resumptionResult({
  account: message,
  restoredKeyIds,
  unconfirmedInstances,
}: ResumeAccountResponseMessage): CommandResult {
  const account = accountJson(message);
  const json = { ...account, restored_key_ids: restoredKeyIds, unconfirmed_instances: unconfirmedInstances };
  const keys = restoredKeyIds.length === 0 ? 'no key was stopped' : `${restoredKeyIds.join(', ')} work again`;
  const note = unconfirmedNote(unconfirmedInstances, `refuse keys of ${account.id}`);
  return { json, text: `${account.id} resumed; ${keys}\n`, ...(note === undefined ? {} : { note }) };
}
