import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { teamJson, teamTable } from '../../output/team.ts';
import { parseLimit } from '../../parse-limit.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Options {
  account?: string;
  name: string;
  requestsPerMinute?: number;
}

export function addTeamsCreate(teams: Command, run: RunCommand): void {
  const create = addAccountArgument(teams.command('create'), 'who owns it')
    .description('create a team, without seats')
    .requiredOption('--name <name>', 'how it is called')
    .option('--requests-per-minute <n>', 'what all its keys may do together (600)', parseLimit)
    .action((argument: string | undefined, { account: option, ...options }: Options) => {
      const request = { account: givenAccount(create, argument, option), ...options };
      return run(async (client) => {
        const message = await client.callOnce(CALL_DEADLINE_MS, 'teams', 'createTeam', request);
        const team = teamJson(message);
        return { json: team, text: teamTable([team]) };
      });
    });
}
