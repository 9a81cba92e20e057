import type { DeleteTeamResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { removedPoolsJson, removedPoolsText } from '../../output/removed-pools.ts';
import { teamJson } from '../../output/team.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

export function addTeamsDelete(teams: Command, run: RunCommand): void {
  teams
    .command('delete')
    .description(
      'delete a team for good: its seats and their keys, its invitations, ' +
        'and its pools with what is left in them; ' +
        'what was billed stays',
    )
    .argument('<TEAM_ID>', 'as `teams list` shows it')
    .action((teamId: string) =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'teams', 'deleteTeam', { teamId });
        return teamDeletionResult(answer);
      }),
    );
}

/** Calls it done only when every data plane has confirmed it. */
export function teamDeletionResult(answer: DeleteTeamResponseMessage): CommandResult {
  const team = teamJson(answer.team);
  const { removedSeatIds, revokedKeyIds, unconfirmedInstances } = answer;
  const pools = removedPoolsJson(answer.removedPools);
  const json = {
    ...team,
    removed_seat_ids: removedSeatIds,
    revoked_key_ids: revokedKeyIds,
    removed_pools: pools,
    unconfirmed_instances: unconfirmedInstances,
  };
  const parts = [
    `${team.id} deleted`,
    ...(removedSeatIds.length === 0 ? [] : [`removed ${removedSeatIds.join(', ')}`]),
    ...(pools.length === 0 ? [] : [`removed ${removedPoolsText(pools)}`]),
    ...(revokedKeyIds.length === 0 ? [] : [`revoked ${revokedKeyIds.join(', ')}`]),
  ];
  const note = unconfirmedNote(unconfirmedInstances, `accept keys of ${team.id}`);
  if (note !== undefined) return { json, text: `${parts.join('; ')}\n`, note };
  const done = revokedKeyIds.length === 0 ? [] : ['refused everywhere from now on'];
  return { json, text: `${[...parts, ...done].join('; ')}\n` };
}
