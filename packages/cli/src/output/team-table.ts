import type { TeamMessage } from '@model-gateway/contracts';
import { formatTable, type TableOptions } from './format-table.ts';
import { isoTimestamp } from './timestamp.ts';

type TeamJson = ReturnType<typeof teamJson>;

/** @throws when the answer of the control plane holds no team */
export function teamJson(team: TeamMessage | null) {
  if (team === null) throw new Error('the control plane answered without a team');
  return {
    id: team.id,
    account_id: team.accountId,
    name: team.name,
    requests_per_minute: team.requestsPerMinute,
    status: team.deletedAtMs === undefined ? 'active' : 'deleted',
    created_at: isoTimestamp(team.createdAtMs),
  };
}

export function teamTable(teams: readonly TeamJson[], options?: TableOptions): string {
  return formatTable(
    ['ID', 'NAME', 'REQUESTS/MIN', 'CREATED', 'STATUS'],
    teams.map((team) => [team.id, team.name, String(team.requests_per_minute), team.created_at, team.status]),
    options,
  );
}
