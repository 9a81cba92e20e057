import type { SeatInvitationMessage, SeatMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { invitationJson, seatJson, seatTable } from '../../output/seat.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface ListedSeats {
  seats: SeatMessage[];
  invitations: SeatInvitationMessage[];
}

export function addSeatsList(seats: Command, run: RunCommand): void {
  seats
    .command('list')
    .description("list a team's seats, removed ones too, and open invitations")
    .requiredOption('--team <team>', 'team id')
    .action(({ team }: { team: string }) =>
      run(async (client) => {
        const { invitations, seats: taken } = await client.call<ListedSeats>(
          CALL_DEADLINE_MS,
          (stubs, ...rest) => stubs.teams.listSeats({ teamId: team }, ...rest),
        );
        const list = [...invitations.map(invitationJson), ...taken.map(seatJson)];
        return { json: list, text: seatTable(list) };
      }),
    );
}
