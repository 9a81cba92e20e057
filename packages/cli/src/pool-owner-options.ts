import type { PayerLevel } from '@model-gateway/shared';
import type { Command } from 'commander';

/** The options that name the owner of pools; exactly one is given. */
export interface PoolOwnerOptions {
  account?: string;
  team?: string;
  seat?: string;
}

export function addPoolOwnerOptions(command: Command): Command {
  return command
    .argument('[ACCOUNT]', 'the same as --account')
    .option('--account <account>', 'the owner: id or e-mail address (or --team, or --seat: one is required)')
    .option('--team <team_id>', 'the team that owns the pool')
    .option('--seat <seat_id>', 'the seat that owns the pool');
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
