import type { RemoveSeatResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { seatJson } from '../../output/seat.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

export function addSeatsRemove(seats: Command, run: RunCommand): void {
  seats
    .command('remove')
    .description('remove a seat from its team and revoke its keys, for good')
    .argument('<SEAT_ID>', 'as `seats list` shows it')
    .action((seatId: string) =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'teams', 'removeSeat', { seatId });
        return removalResult(answer);
      }),
    );
}

/** Calls it done only when every data plane has confirmed it. */
export function removalResult(answer: RemoveSeatResponseMessage): CommandResult {
  const seat = seatJson(answer.seat);
  const { revokedKeyIds, unconfirmedInstances } = answer;
  const json = { ...seat, revoked_key_ids: revokedKeyIds, unconfirmed_instances: unconfirmedInstances };
  const keys = revokedKeyIds.length === 0 ? 'it had no active keys' : `revoked ${revokedKeyIds.join(', ')}`;
  const removed = `${seat.id} removed; ${keys}`;
  const note = unconfirmedNote(unconfirmedInstances, `accept keys of ${seat.id}`);
  if (note !== undefined) return { json, text: `${removed}\n`, note };
  const done = revokedKeyIds.length === 0 ? '' : '; refused everywhere from now on';
  return { json, text: `${removed}${done}\n` };
}
