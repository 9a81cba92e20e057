import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { teamJson, teamTable } from '../../output/team.ts';
import { readAllPages } from '../../read-all-pages.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addTeamsList(teams: Command, run: RunCommand): void {
  const list = addAccountArgument(teams.command('list'))
    .description('list the teams that an account owns')
    .action((argument: string | undefined, options: { account?: string }) => {
      const account = givenAccount(list, argument, options.account);
      return run(async (client) => ({
        pages: readAllPages(
          (place) => client.call(CALL_DEADLINE_MS, 'teams', 'listTeams', { account, ...place }),
          (answer) => answer.teams.map(teamJson),
        ),
        table: teamTable,
      }));
    });
}
