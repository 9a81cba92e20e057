import type { Command } from 'commander';
import { teamJson, teamTable } from '../../output/team.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { parseLimit } from '../../parse-limit.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addTeamsSetLimit(teams: Command, run: RunCommand): void {
  teams
    .command('set-limit')
    .description('change what all keys of a team may do together')
    .argument('<TEAM_ID>', 'as `teams list` shows it')
    .requiredOption('--requests-per-minute <n>', 'from now on', parseLimit)
    .action((teamId: string, { requestsPerMinute }: { requestsPerMinute: number }) =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'teams', 'setTeamLimit', {
          teamId,
          requestsPerMinute,
        });
        const team = teamJson(answer.team);
        const unconfirmed = answer.unconfirmedInstances;
        const note = unconfirmedNote(unconfirmed, 'go by the old limit');
        return {
          json: { ...team, unconfirmed_instances: unconfirmed },
          text: teamTable([team]),
          ...(note === undefined ? {} : { note }),
        };
      }),
    );
}
