import type { Command } from 'commander';

/** Whose pools; exactly one is given. */
export interface PoolOwnerOptions {
  account?: string;
  team?: string;
  seat?: string;
}

export function addPoolOwnerOptions(command: Command): Command {
  return command
    .option('--account <account>', 'of an account: its id or e-mail address')
    .option('--team <team_id>', 'of a team')
    .option('--seat <seat_id>', 'of a seat');
}

/** @throws CommanderError unless exactly one is named */
export function poolOwner(command: Command, { account, team, seat }: PoolOwnerOptions) {
  if ([account, team, seat].filter((given) => given !== undefined).length !== 1) {
    command.error('error: name one of --account, --team and --seat');
  }
  return {
    ...(account === undefined ? {} : { account }),
    ...(team === undefined ? {} : { teamId: team }),
    ...(seat === undefined ? {} : { seatId: seat }),
  };
}
