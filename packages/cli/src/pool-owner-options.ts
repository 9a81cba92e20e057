import type { PayerLevel } from '@model-gateway/shared';
import type { Command } from 'commander';

/** The owner of pools; exactly one is given. */
export interface PoolOwnerOptions {
  account?: string;
  team?: string;
  seat?: string;
}

export function addPoolOwnerOptions(command: Command): Command {
  return command
    .argument('[ACCOUNT]', 'the same as --account')
    .option('--account <account>', 'of an account: its id or e-mail address (one of the three is required)')
    .option('--team <team_id>', 'of a team')
    .option('--seat <seat_id>', 'of a seat');
}

/**
 * @param argument the account, when it is given without --account
 * @throws CommanderError unless exactly one owner is named
 */
export function poolOwner(
  command: Command,
  argument: string | undefined,
  { account, team, seat }: PoolOwnerOptions,
): PayerLevel {
  const named = Object.entries({ argument, account, team, seat }).flatMap(([kind, id]) =>
    id === undefined ? [] : [{ kind: kind === 'argument' ? 'account' : kind, id }],
  );
  const [owner, ...others] = named;
  if (owner === undefined || others.length > 0) {
    command.error('error: name one of --account, --team and --seat');
  }
  return owner;
}
