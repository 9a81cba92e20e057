import type { SeatMessage, TeamMessage } from '@model-gateway/contracts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS } from '../run-command.ts';
import { applyKeys } from './apply-keys.ts';
import { applyPools } from './apply-pools.ts';
import { applyRules } from './apply-rules.ts';
import { type ApplyRun, applyChange, applyDifferences, compareField, findNamed } from './apply-run.ts';
import type { WantedSeat, WantedTeam } from './gateway-file.ts';

/** A team in the gateway. */
interface Team {
  /** Undefined in a plan that creates it. */
  id: string | undefined;
  /** Such as `team Lab of ada@example.com`. */
  object: string;
  /** Prefix of the names of its keys in the file of secrets: `ada@example.com/Lab`. */
  secretPrefix: string;
}

/** @param account its id; undefined in a plan that creates it */
export async function applyTeams(
  run: ApplyRun,
  email: string,
  account: string | undefined,
  wanted: readonly WantedTeam[] | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const nameOf = (name: string) => `team ${name} of ${email}`;
  const teams = account === undefined ? [] : await teamsOf(run, account);
  for (const one of wanted) {
    const object = nameOf(one.name);
    const existing = findNamed(teams, one.name, object);
    const id = await applyTeam(run, object, { wanted: one, existing, account: account ?? '' });
    await applyRules(run, `rules of ${object}`, { kind: 'team', id }, one.rules);
    await applyPools(run, { kind: 'team', id, name: object }, one.pools);
    await applySeats(run, { id, object, secretPrefix: `${email}/${one.name}` }, one.seats);
  }
  if (!run.prunes) return;
  for (const { id: teamId, name } of teams.filter((team) => !wanted.some((one) => one.name === team.name))) {
    await applyChange(run, { action: 'remove', object: nameOf(name) }, () =>
      run.client.call(CALL_DEADLINE_MS, 'teams', 'deleteTeam', { teamId }),
    );
  }
}

async function applyTeam(
  run: ApplyRun,
  object: string,
  { account, existing, wanted }: { account: string; existing: TeamMessage | undefined; wanted: WantedTeam },
): Promise<string | undefined> {
  const { name, requests_per_minute: requestsPerMinute } = wanted;
  if (existing === undefined) {
    const request = { account, name, ...(requestsPerMinute !== undefined && { requestsPerMinute }) };
    const created = await applyChange(run, { action: 'create', object }, () =>
      run.client.callOnce(CALL_DEADLINE_MS, 'teams', 'createTeam', request),
    );
    return created?.id;
  }
  const differences = compareField('requests_per_minute', existing.requestsPerMinute, requestsPerMinute);
  await applyDifferences(run, object, differences, () => {
    const request = {
      teamId: existing.id,
      requestsPerMinute: requestsPerMinute ?? existing.requestsPerMinute,
    };
    return run.client.call(CALL_DEADLINE_MS, 'teams', 'setTeamLimit', request);
  });
  return existing.id;
}

async function applySeats(
  run: ApplyRun,
  team: Team,
  wanted: readonly WantedSeat[] | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const nameOf = (email: string) => `seat ${email} of ${team.object}`;
  const seats = team.id === undefined ? [] : await seatsOf(run, team.id);
  for (const { account, keys, pools, rules } of wanted) {
    const object = nameOf(account);
    const existing = seats.find(({ accountEmail }) => accountEmail.toLowerCase() === account);
    if (existing !== undefined) run.unchanged += 1;
    const seat = existing ?? (await addSeat(run, object, team.id, account));
    await applyRules(run, `rules of ${object}`, { kind: 'seat', id: seat?.id }, rules);
    await applyPools(run, { kind: 'seat', id: seat?.id, name: object }, pools);
    const secretPrefix = `${team.secretPrefix}/${account}`;
    await applyKeys(run, { account, seat: { id: seat?.id }, name: object, secretPrefix }, keys);
  }
  if (!run.prunes) return;
  for (const { accountEmail, id: seatId } of seats) {
    if (wanted.some(({ account }) => account === accountEmail.toLowerCase())) continue;
    await applyChange(run, { action: 'remove', object: nameOf(accountEmail) }, () =>
      run.client.call(CALL_DEADLINE_MS, 'teams', 'removeSeat', { seatId }),
    );
  }
}

function addSeat(run: ApplyRun, object: string, teamId = '', account = ''): Promise<SeatMessage | undefined> {
  return applyChange(run, { action: 'create', object }, () =>
    run.client.callOnce(CALL_DEADLINE_MS, 'teams', 'addSeat', { teamId, account }),
  );
}

async function teamsOf({ client }: ApplyRun, account: string): Promise<TeamMessage[]> {
  const pages = readAllPages(
    (place) => client.call(CALL_DEADLINE_MS, 'teams', 'listTeams', { account, ...place }),
    ({ teams }) => teams,
  );
  return (await Array.fromAsync(pages)).flat().filter(({ deletedAtMs }) => deletedAtMs === undefined);
}

async function seatsOf({ client }: ApplyRun, teamId: string): Promise<SeatMessage[]> {
  const pages = readAllPages(
    (place) => client.call(CALL_DEADLINE_MS, 'teams', 'listSeats', { teamId, ...place }),
    ({ seats }) => seats,
  );
  return (await Array.fromAsync(pages)).flat().filter(({ removedAtMs }) => removedAtMs === undefined);
}
