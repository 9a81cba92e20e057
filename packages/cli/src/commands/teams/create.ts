import type { TeamMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { teamJson, teamTable } from '../../output/team.ts';
import { parseLimit } from '../../parse-limit.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Options {
  account: string;
  name: string;
  requestsPerMinute?: number;
}

export function addTeamsCreate(teams: Command, run: RunCommand): void {
  teams
    .command('create')
    .description('create a team, without seats')
    .requiredOption('--account <account>', 'who owns it: account id or e-mail address')
    .requiredOption('--name <name>', 'how it is called')
    .option('--requests-per-minute <n>', 'what all its keys may do together (600)', parseLimit)
    .action((options: Options) =>
      run(async (client) => {
        const message = await client.callOnce<TeamMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
          stubs.teams.createTeam(options, ...rest),
        );
        const team = teamJson(message);
        return { json: team, text: teamTable([team]) };
      }),
    );
}
