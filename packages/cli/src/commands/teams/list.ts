import type { TeamMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { teamJson, teamTable } from '../../output/team.ts';
import { readPages } from '../../read-pages.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Answer {
  teams: TeamMessage[];
  nextPageToken?: string;
}

export function addTeamsList(teams: Command, run: RunCommand): void {
  teams
    .command('list')
    .description('list the teams that an account owns')
    .requiredOption('--account <account>', 'account id or e-mail address')
    .action(({ account }: { account: string }) =>
      run(async (client) => ({
        pages: readPages(
          (place) =>
            client.call<Answer>(CALL_DEADLINE_MS, (stubs, ...rest) =>
              stubs.teams.listTeams({ account, ...place }, ...rest),
            ),
          (answer) => answer.teams.map(teamJson),
        ),
        table: teamTable,
      })),
    );
}
