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
    .option(
      '--key <key_id>',
      'rules of this key (name exactly one owner: a key, seat, team, account or end users)',
    )
    .option('--seat <seat_id>', 'rules of this seat')
    .option('--team <team_id>', 'rules of this team')
    .option('--account <account>', 'rules of this account: id or e-mail address')
    .option('--end-user <end_user>', 'with --account: rules of this end user, instead of those of all')
    .option('--end-users', 'with --account: rules of all its end users that have none of their own');
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
