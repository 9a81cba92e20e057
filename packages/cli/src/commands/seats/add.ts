import type { SeatMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { seatJson, seatTable } from '../../output/seat.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Options {
  team: string;
  account: string;
}

export function addSeatsAdd(seats: Command, run: RunCommand): void {
  seats
    .command('add')
    .description('give an account a seat in a team')
    .requiredOption('--team <team>', 'team id')
    .requiredOption('--account <account>', 'whose seat: account id or e-mail address')
    .action(({ team, account }: Options) =>
      run(async (client) => {
        const message = await client.callOnce<SeatMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
          stubs.teams.addSeat({ teamId: team, account }, ...rest),
        );
        const seat = seatJson(message);
        return { json: seat, text: seatTable([seat]) };
      }),
    );
}
