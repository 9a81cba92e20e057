import type { Command } from 'commander';

/** The options that name the owner of rules. */
export interface RulesOwnerOptions {
  key?: string;
  seat?: string;
  team?: string;
  account?: string;
  endUser?: string;
  endUsers?: boolean;
}

export function addRulesOwnerOptions(command: Command): Command {
  return command
    .argument('[ACCOUNT]', 'the same as --account')
    .option('--key <key_id>', 'the key with these rules (or one of the following: one is required)')
    .option('--seat <seat_id>', 'the seat')
    .option('--team <team_id>', 'the team')
    .option('--account <account>', 'the account: id or e-mail address')
    .option('--end-user <end_user>', 'with --account: one of its end users, as requests name it')
    .option('--end-users', 'with --account: all of its end users that have no own rules');
}

/**
 * @param argument the account, when it is given without --account
 * @throws CommanderError unless exactly one owner is named
 */
export function rulesOwner(
  command: Command,
  argument: string | undefined,
  { account: option, endUser, endUsers = false, key, seat, team }: RulesOwnerOptions,
): { kind: string; id: string; endUser?: string } {
  if (argument !== undefined && option !== undefined) command.error('error: name the account once');
  const account = argument ?? option;
  if (endUser !== undefined || endUsers) {
    const isOne = (endUser === undefined) === endUsers && [key, seat, team].every((id) => id === undefined);
    if (!isOne) command.error('error: name either --end-user or --end-users, with --account only');
    if (account === undefined) command.error('error: --end-user and --end-users need --account');
    if (endUser === undefined) return { kind: 'end_users', id: account };
    return { kind: 'end_user', id: account, endUser };
  }
  const named = Object.entries({ key, seat, team, account }).flatMap(([kind, id]) =>
    id === undefined ? [] : [{ kind, id }],
  );
  const [owner, ...others] = named;
  if (owner === undefined || others.length > 0)
    command.error('error: name one of --key, --seat, --team, --account, --end-user and --end-users');
  return owner;
}
