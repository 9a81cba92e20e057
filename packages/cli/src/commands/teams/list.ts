import type { TeamMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { teamJson, teamTable } from '../../output/team.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addTeamsList(teams: Command, run: RunCommand): void {
  teams
    .command('list')
    .description('list the teams that an account owns')
    .requiredOption('--account <account>', 'account id or e-mail address')
    .action(({ account }: { account: string }) =>
      run(async (client) => {
        const answer = await client.call<{ teams: TeamMessage[] }>(CALL_DEADLINE_MS, (stubs, ...rest) =>
          stubs.teams.listTeams({ account }, ...rest),
        );
        const list = answer.teams.map(teamJson);
        return { json: list, text: teamTable(list) };
      }),
    );
}
