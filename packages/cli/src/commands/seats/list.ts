import type { SeatMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { seatJson, seatTable } from '../../output/seat.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addSeatsList(seats: Command, run: RunCommand): void {
  seats
    .command('list')
    .description("list a team's seats, removed ones too")
    .requiredOption('--team <team>', 'team id')
    .action(({ team }: { team: string }) =>
      run(async (client) => {
        const answer = await client.call<{ seats: SeatMessage[] }>(CALL_DEADLINE_MS, (stubs, ...rest) =>
          stubs.teams.listSeats({ teamId: team }, ...rest),
        );
        const list = answer.seats.map(seatJson);
        return { json: list, text: seatTable(list) };
      }),
    );
}
