import type { TeamMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { teamJson, teamTable } from '../../output/team.ts';
import { readPages } from '../../read-pages.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Answer {
  teams: TeamMessage[];
  nextPageToken?: string;
}

export function addTeamsList(teams: Command, run: RunCommand): void {
  const list = addAccountArgument(teams.command('list'))
    .description('list the teams that an account owns')
    .action((argument: string | undefined, options: { account?: string }) => {
      const account = givenAccount(list, argument, options.account);
      return run(async (client) => ({
        pages: readPages(
          (place) =>
            client.call<Answer>(CALL_DEADLINE_MS, (stubs, ...rest) =>
              stubs.teams.listTeams({ account, ...place }, ...rest),
            ),
          (answer) => answer.teams.map(teamJson),
        ),
        table: teamTable,
      }));
    });
}
