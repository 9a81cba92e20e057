import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { seatJson, seatTable } from '../../output/seat.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Options {
  team: string;
  account?: string;
}

export function addSeatsAdd(seats: Command, run: RunCommand): void {
  const add = addAccountArgument(seats.command('add'), 'whose seat')
    .description('give an account a seat in a team')
    .requiredOption('--team <team>', 'team id')
    .action((argument: string | undefined, { team, account: option }: Options) => {
      const account = givenAccount(add, argument, option);
      return run(async (client) => {
        const message = await client.callOnce(CALL_DEADLINE_MS, 'teams', 'addSeat', {
          teamId: team,
          account,
        });
        const seat = seatJson(message);
        return { json: seat, text: seatTable([seat]) };
      });
    });
}
