import type {
  MoveSeatResponseMessage,
  NewSeatInvitationMessage,
  RemoveSeatResponseMessage,
} from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, onAccount } from '../account-argument.ts';
import { dashboardLink, linkAdvice } from '../output/dashboard-link.ts';
import { invitationJson, seatJson, seatTable } from '../output/seat-table.ts';
import { confirmedResult, refusedEverywhere } from '../output/unconfirmed-note.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';

const INVITATION_PAGE = 'invitation';
const LISTED_ID_HELP = 'id as in `seats list`';

export function addSeats(program: Command, run: RunCommand): void {
  const seats = program.command('seats').description('manage the seats of accounts in teams');
  addSeatsAdd(seats, run);
  addSeatsInvite(seats, run);
  addSeatsList(seats, run);
  addSeatsMove(seats, run);
  addSeatsRemove(seats, run);
  addSeatsWithdraw(seats, run);
}

function addSeatsAdd(seats: Command, run: RunCommand): void {
  const add = addAccountArgument(seats.command('add'), 'holder of the seat: ')
    .description('give an account a seat in a team')
    .requiredOption('--team <team>', 'team id');
  onAccount(add, (account, { team: teamId }: { account?: string; team: string }) =>
    run(async (client) => {
      const seat = seatJson(await client.callOnce(CALL_DEADLINE_MS, 'teams', 'addSeat', { teamId, account }));
      return { json: seat, text: seatTable([seat]) };
    }),
  );
}

function addSeatsInvite(seats: Command, run: RunCommand): void {
  seats
    .command('invite')
    .description('invite an e-mail address to a team, and print a link that works once')
    .requiredOption('--team <team>', 'team id')
    .requiredOption('--email <address>', 'whom to invite; the address needs no account yet')
    .action(({ team: teamId, email }: { team: string; email: string }) =>
      run(async (client, { dashboardUrl }) => {
        const request = { teamId, email };
        const offered = await client.callOnce(CALL_DEADLINE_MS, 'teams', 'inviteToTeam', request);
        return invitationResult(offered, dashboardUrl);
      }),
    );
}

/** @param dashboardUrl undefined: unknown, so the text has the token without a link */
function invitationResult(
  { invitation, token }: NewSeatInvitationMessage,
  dashboardUrl: string | undefined,
): CommandResult {
  const json = invitationJson(invitation);
  const url = dashboardUrl === undefined ? null : dashboardLink(dashboardUrl, INVITATION_PAGE, token);
  const forWhom = `for ${json.account_email}; works once, for whoever has it, until ${json.expires_at}`;
  return {
    json: { ...json, token, url },
    text: `${url ?? token}\n`,
    note: url === null ? `${forWhom}; ${linkAdvice(INVITATION_PAGE)}` : forWhom,
  };
}

function addSeatsList(seats: Command, run: RunCommand): void {
  seats
    .command('list')
    .description('list the seats of a team, including removed ones, and its open invitations')
    .requiredOption('--team <team>', 'team id')
    .action(({ team: teamId }: { team: string }) =>
      run(async (client) => ({
        pages: readAllPages(
          (place) => client.call(CALL_DEADLINE_MS, 'teams', 'listSeats', { teamId, ...place }),
          ({ invitations, seats: taken }) => [...invitations.map(invitationJson), ...taken.map(seatJson)],
        ),
        table: seatTable,
      })),
    );
}

function addSeatsMove(seats: Command, run: RunCommand): void {
  seats
    .command('move')
    .description('give a seat, with its pools, to another account, and revoke the keys on it')
    .argument('<SEAT_ID>', LISTED_ID_HELP)
    .requiredOption('--account <account>', 'the new holder: account id or e-mail address')
    .action((seatId: string, { account }: { account: string }) =>
      run(async (client) =>
        moveResult(await client.call(CALL_DEADLINE_MS, 'teams', 'moveSeat', { seatId, account })),
      ),
    );
}

export function moveResult(answer: MoveSeatResponseMessage): CommandResult {
  const seat = seatJson(answer.seat);
  const { revokedKeyIds, unconfirmedInstances } = answer;
  const keys =
    revokedKeyIds.length === 0 ? 'nobody else had active keys on it' : `revoked ${revokedKeyIds.join(', ')}`;
  return confirmedResult({
    json: { ...seat, revoked_key_ids: revokedKeyIds },
    text: `${seat.id} is ${seat.account_email}'s; ${keys}`,
    done: refusedEverywhere(revokedKeyIds),
    unconfirmed: unconfirmedInstances,
    may: `accept earlier keys of ${seat.id}`,
  });
}

function addSeatsRemove(seats: Command, run: RunCommand): void {
  seats
    .command('remove')
    .description('remove a seat from its team and revoke its keys, for good')
    .argument('<SEAT_ID>', LISTED_ID_HELP)
    .action((seatId: string) =>
      run(async (client) =>
        removalResult(await client.call(CALL_DEADLINE_MS, 'teams', 'removeSeat', { seatId })),
      ),
    );
}

export function removalResult(answer: RemoveSeatResponseMessage): CommandResult {
  const seat = seatJson(answer.seat);
  const { revokedKeyIds, unconfirmedInstances } = answer;
  const keys = revokedKeyIds.length === 0 ? 'it had no active keys' : `revoked ${revokedKeyIds.join(', ')}`;
  return confirmedResult({
    json: { ...seat, revoked_key_ids: revokedKeyIds },
    text: `${seat.id} removed; ${keys}`,
    done: refusedEverywhere(revokedKeyIds),
    unconfirmed: unconfirmedInstances,
    may: `accept keys of ${seat.id}`,
  });
}

function addSeatsWithdraw(seats: Command, run: RunCommand): void {
  seats
    .command('withdraw')
    .description('withdraw an invitation that nobody has accepted')
    .argument('<INVITATION_ID>', LISTED_ID_HELP)
    .action((invitationId: string) =>
      run(async (client) => {
        const request = { invitationId };
        const message = await client.callOnce(CALL_DEADLINE_MS, 'teams', 'withdrawInvitation', request);
        const { id, account_email } = invitationJson(message);
        return {
          json: { id, account_email, status: 'withdrawn' },
          text: `${id} withdrawn; its link for ${account_email} no longer works\n`,
        };
      }),
    );
}
