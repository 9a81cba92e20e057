import type { Command } from 'commander';

/** Adds the account as the argument ACCOUNT or the option --account. @param whose begins the help text */
export function addAccountArgument(command: Command, whose = ''): Command {
  const what = whose === '' ? 'id or e-mail address' : `${whose}: id or e-mail address`;
  return command
    .argument('[ACCOUNT]', what)
    .option('--account <account>', `the same as ACCOUNT (required, in one of the two ways)`);
}

/**
 * Sets the action of a command with `addAccountArgument`.
 * @param act is not called, and the command line is refused, unless the account is named exactly once
 */
export function onAccount<Options extends { account?: string }>(
  command: Command,
  act: (account: string, options: Options) => Promise<void>,
): void {
  command.action((argument: string | undefined, options: Options) => {
    const account = argument ?? options.account;
    if (account === undefined) {
      command.error('error: name an account by its id or e-mail address: ACCOUNT or --account <account>');
    }
    if (argument !== undefined && options.account !== undefined) {
      command.error('error: name the account once: ACCOUNT or --account <account>');
    }
    return act(account, options);
  });
}
