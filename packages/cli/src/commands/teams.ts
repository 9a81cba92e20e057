import type { DeleteTeamResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, onAccount } from '../account-argument.ts';
import { removedPoolsJson, removedPoolsText } from '../output/removed-pools-text.ts';
import { teamJson, teamTable } from '../output/team-table.ts';
import {
  confirmedResult,
  listedIds,
  refusedEverywhere,
  unconfirmedNote,
} from '../output/unconfirmed-note.ts';
import { parseLimit } from '../parse-limit.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';

const TEAM_ID_HELP = 'id as in `teams list`';

export function addTeams(program: Command, run: RunCommand): void {
  const teams = program
    .command('teams')
    .description('manage teams: accounts that share a rate limit and pools');
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
  const create = addAccountArgument(teams.command('create'), 'owner of the team: ')
    .description('create a team, without seats')
    .requiredOption('--name <name>', 'name of the team')
    .option('--requests-per-minute <n>', 'limit for all its keys together (600)', parseLimit);
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
    .description('change the rate limit for all keys of a team together')
    .argument('<TEAM_ID>', TEAM_ID_HELP)
    .requiredOption('--requests-per-minute <n>', 'the new limit', parseLimit)
    .action((teamId: string, { requestsPerMinute }: { requestsPerMinute: number }) =>
      run(async (client) => {
        const request = { teamId, requestsPerMinute };
        const answer = await client.call(CALL_DEADLINE_MS, 'teams', 'setTeamLimit', request);
        const team = teamJson(answer.team);
        const unconfirmed = answer.unconfirmedInstances;
        return {
          json: { ...team, unconfirmed_instances: unconfirmed },
          text: teamTable([team]),
          note: unconfirmedNote(unconfirmed, 'apply the old limit'),
        };
      }),
    );
}

function addTeamsDelete(teams: Command, run: RunCommand): void {
  teams
    .command('delete')
    .description(
      'delete a team for good, with its seats and their keys, its invitations, ' +
        'and its pools with their unused money; its receipts stay',
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
