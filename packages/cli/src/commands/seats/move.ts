import type { MoveSeatResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { seatJson } from '../../output/seat.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

export function addSeatsMove(seats: Command, run: RunCommand): void {
  seats
    .command('move')
    .description('give a seat, with its pools, to another account; the keys that were made on it are revoked')
    .argument('<SEAT_ID>', 'as `seats list` shows it')
    .requiredOption('--account <account>', 'whose seat from now on: account id or e-mail address')
    .action((seatId: string, { account }: { account: string }) =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'teams', 'moveSeat', { seatId, account });
        return moveResult(answer);
      }),
    );
}

/** Calls it done only when every data plane has confirmed it. */
export function moveResult(answer: MoveSeatResponseMessage): CommandResult {
  const seat = seatJson(answer.seat);
  const { revokedKeyIds, unconfirmedInstances } = answer;
  const json = { ...seat, revoked_key_ids: revokedKeyIds, unconfirmed_instances: unconfirmedInstances };
  const moved = `${seat.id} is ${seat.account_email}'s; ${
    revokedKeyIds.length === 0 ? 'it had no active keys of others' : `revoked ${revokedKeyIds.join(', ')}`
  }`;
  const note = unconfirmedNote(unconfirmedInstances, `accept earlier keys of ${seat.id}`);
  if (note !== undefined) return { json, text: `${moved}\n`, note };
  const done = revokedKeyIds.length === 0 ? '' : '; refused everywhere from now on';
  return { json, text: `${moved}${done}\n` };
}
