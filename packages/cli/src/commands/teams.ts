import type { DeleteTeamResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, onAccount } from '../account-argument.ts';
import { removedPoolsJson, removedPoolsText } from '../output/removed-pools.ts';
import { teamJson, teamTable } from '../output/team.ts';
import { confirmedResult, listedIds, refusedEverywhere, unconfirmedNote } from '../output/unconfirmed.ts';
import { parseLimit } from '../parse-limit.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';

const TEAM_ID_HELP = 'as `teams list` shows it';

export function addTeams(program: Command, run: RunCommand): void {
  const teams = program.command('teams').description('accounts that share a limit and credit');
  addTeamsCreate(teams, run);
  addTeamsList(teams, run);
  addTeamsSetLimit(teams, run);
  addTeamsDelete(teams, run);
}

interface CreateOptions {
  account?: string;
  name: string;
  requestsPerMinute?: number;
}

function addTeamsCreate(teams: Command, run: RunCommand): void {
  const create = addAccountArgument(teams.command('create'), 'who owns it')
    .description('create a team, without seats')
    .requiredOption('--name <name>', 'how it is called')
    .option('--requests-per-minute <n>', 'what all its keys may do together (600)', parseLimit);
  onAccount(create, (account, options: CreateOptions) =>
    run(async (client) => {
      const request = { ...options, account };
      const team = teamJson(await client.callOnce(CALL_DEADLINE_MS, 'teams', 'createTeam', request));
      return { json: team, text: teamTable([team]) };
    }),
  );
}

function addTeamsList(teams: Command, run: RunCommand): void {
  const list = addAccountArgument(teams.command('list')).description('list the teams that an account owns');
  onAccount(list, (account) =>
    run(async (client) => ({
      pages: readAllPages(
        (place) => client.call(CALL_DEADLINE_MS, 'teams', 'listTeams', { account, ...place }),
        (answer) => answer.teams.map(teamJson),
      ),
      table: teamTable,
    })),
  );
}

function addTeamsSetLimit(teams: Command, run: RunCommand): void {
  teams
    .command('set-limit')
    .description('change what all keys of a team may do together')
    .argument('<TEAM_ID>', TEAM_ID_HELP)
    .requiredOption('--requests-per-minute <n>', 'from now on', parseLimit)
    .action((teamId: string, { requestsPerMinute }: { requestsPerMinute: number }) =>
      run(async (client) => {
        const request = { teamId, requestsPerMinute };
        const answer = await client.call(CALL_DEADLINE_MS, 'teams', 'setTeamLimit', request);
        const team = teamJson(answer.team);
        const unconfirmed = answer.unconfirmedInstances;
        return {
          json: { ...team, unconfirmed_instances: unconfirmed },
          text: teamTable([team]),
          note: unconfirmedNote(unconfirmed, 'go by the old limit'),
        };
      }),
    );
}

function addTeamsDelete(teams: Command, run: RunCommand): void {
  teams
    .command('delete')
    .description(
      'delete a team for good: its seats and their keys, its invitations, ' +
        'and its pools with what is left in them; what was billed stays',
    )
    .argument('<TEAM_ID>', TEAM_ID_HELP)
    .action((teamId: string) =>
      run(async (client) =>
        teamDeletionResult(await client.call(CALL_DEADLINE_MS, 'teams', 'deleteTeam', { teamId })),
      ),
    );
}

export function teamDeletionResult(answer: DeleteTeamResponseMessage): CommandResult {
  const team = teamJson(answer.team);
  const { removedSeatIds, revokedKeyIds, unconfirmedInstances } = answer;
  const pools = removedPoolsJson(answer.removedPools);
  const parts = [
    `${team.id} deleted`,
    ...listedIds('removed', removedSeatIds),
    ...removedPoolsText(pools),
    ...listedIds('revoked', revokedKeyIds),
  ];
  return confirmedResult({
    json: {
      ...team,
      removed_seat_ids: removedSeatIds,
      revoked_key_ids: revokedKeyIds,
      removed_pools: pools,
    },
    text: parts.join('; '),
    done: refusedEverywhere(revokedKeyIds),
    unconfirmed: unconfirmedInstances,
    may: `accept keys of ${team.id}`,
  });
}
