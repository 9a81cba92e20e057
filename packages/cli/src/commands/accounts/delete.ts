import type { DeleteAccountResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { accountJson } from '../../output/account.ts';
import { removedPoolsJson, removedPoolsText } from '../../output/removed-pools.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';
import { accountIdOf } from '../account-id.ts';

export function addAccountsDelete(accounts: Command, run: RunCommand): void {
  const command = addAccountArgument(accounts.command('delete'))
    .description(
      'delete an account for good, with its teams, keys, sign-in and the money that is left; ' +
        'what was billed stays under its id, without name and address',
    )
    .action((argument: string | undefined, options: { account?: string }) => {
      const account = givenAccount(command, argument, options.account);
      return run(async (client) => {
        // A slow answer makes the client ask the next control plane, and by then nobody has the address any
        // more.
        const id = await accountIdOf(client, account);
        const answer = await client.call(CALL_DEADLINE_MS, 'accounts', 'deleteAccount', { account: id });
        return deletionResult(answer);
      });
    });
}

/** Calls it done only when every data plane has confirmed it. */
export function deletionResult(answer: DeleteAccountResponseMessage): CommandResult {
  const account = accountJson(answer.account);
  const { revokedKeyIds, deletedTeamIds, removedSeatIds, unconfirmedInstances } = answer;
  const pools = removedPoolsJson(answer.removedPools);
  const json = {
    ...account,
    revoked_key_ids: revokedKeyIds,
    deleted_team_ids: deletedTeamIds,
    removed_seat_ids: removedSeatIds,
    removed_pools: pools,
    unconfirmed_instances: unconfirmedInstances,
  };
  const parts = [
    `${account.id} deleted`,
    ...(revokedKeyIds.length === 0 ? [] : [`revoked ${revokedKeyIds.join(', ')}`]),
    ...(deletedTeamIds.length === 0 ? [] : [`deleted ${deletedTeamIds.join(', ')}`]),
    ...(removedSeatIds.length === 0 ? [] : [`removed ${removedSeatIds.join(', ')}`]),
    ...(pools.length === 0 ? [] : [`removed ${removedPoolsText(pools)}`]),
  ];
  const note = unconfirmedNote(unconfirmedInstances, `accept keys of ${account.id}`);
  if (note !== undefined) return { json, text: `${parts.join('; ')}\n`, note };
  const done = revokedKeyIds.length === 0 ? [] : ['its keys are refused everywhere from now on'];
  return { json, text: `${[...parts, ...done].join('; ')}\n` };
}
