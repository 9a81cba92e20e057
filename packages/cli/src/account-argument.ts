import type { Command } from 'commander';

/** Adds the account as argument ACCOUNT or option --account. @param whose begins the help text: `owner: ` */
export function addAccountArgument(command: Command, whose = ''): Command {
  return command
    .argument('[ACCOUNT]', `${whose}id or e-mail address`)
    .option('--account <account>', 'the same as ACCOUNT (required: give one of the two)');
}

/**
 * Adds an account that may be left out, as argument ACCOUNT or option --account. @param help of the option
 */
export function addOptionalAccount(command: Command, help: string): Command {
  return command.argument('[ACCOUNT]', 'the same as --account').option('--account <account>', help);
}

/**
 * Sets the action of a command with `addAccountArgument`.
 * @param act is not called, and the command line is refused, unless the account is named exactly once
 */
export function onAccount<Options extends { account?: string }>(
  command: Command,
  act: (account: string, options: Options) => Promise<void>,
): void {
  onOptionalAccount(command, (account, options: Options) => {
    if (account === undefined) {
      command.error('error: name an account by id or e-mail address, as ACCOUNT or with --account');
    }
    return act(account, options);
  });
}

/**
 * Sets the action of a command with `addOptionalAccount`.
 * @param act is not called, and the command line is refused, if the account is named twice
 */
export function onOptionalAccount<Options extends { account?: string }>(
  command: Command,
  act: (account: string | undefined, options: Options) => Promise<void>,
): void {
  command.action((argument: string | undefined, options: Options) => {
    if (argument !== undefined && options.account !== undefined) {
      command.error('error: name the account once, as ACCOUNT or with --account');
    }
    return act(argument ?? options.account, options);
  });
}
