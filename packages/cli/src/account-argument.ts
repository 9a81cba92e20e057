import type { Command } from 'commander';

/**
 * Lets a command take an account, in the way that all commands share: its id or its e-mail address, as the
 * argument ACCOUNT or with --account.
 * @param whose completes the help text, such as "whose key"; empty: the text needs nothing more
 */
export function addAccountArgument(command: Command, whose = ''): Command {
  const what = whose === '' ? 'id or e-mail address' : `${whose}: id or e-mail address`;
  return command
    .argument('[ACCOUNT]', what)
    .option('--account <account>', `the same as ACCOUNT (required, in one of the two ways)`);
}

/** Returns the named account. @throws CommanderError unless it is named exactly once */
export function givenAccount(
  command: Command,
  argument: string | undefined,
  option: string | undefined,
): string {
  const account = argument ?? option;
  if (account === undefined) {
    command.error('error: name an account by its id or e-mail address: ACCOUNT or --account <account>');
  }
  if (argument !== undefined && option !== undefined) {
    command.error('error: name the account once: ACCOUNT or --account <account>');
  }
  return account;
}
