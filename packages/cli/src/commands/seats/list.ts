import type { Command } from 'commander';
import { invitationJson, seatJson, seatTable } from '../../output/seat.ts';
import { readAllPages } from '../../read-all-pages.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addSeatsList(seats: Command, run: RunCommand): void {
  seats
    .command('list')
    .description("list a team's seats, removed ones too, and open invitations")
    .requiredOption('--team <team>', 'team id')
    .action(({ team }: { team: string }) =>
      run(async (client) => ({
        pages: readAllPages(
          (place) => client.call(CALL_DEADLINE_MS, 'teams', 'listSeats', { teamId: team, ...place }),
          ({ invitations, seats: taken }) => [...invitations.map(invitationJson), ...taken.map(seatJson)],
        ),
        table: seatTable,
      })),
    );
}
