import { VERSION } from '@model-gateway/service-kit';
import { Command, CommanderError } from 'commander';
import { addAccountsCreate } from './commands/accounts/create.ts';
import { addAccountsDelete } from './commands/accounts/delete.ts';
import { addAccountsList } from './commands/accounts/list.ts';
import { addAccountsResetPassword } from './commands/accounts/reset-password.ts';
import { addAccountsResume } from './commands/accounts/resume.ts';
import { addAccountsSuspend } from './commands/accounts/suspend.ts';
import { addCatalogAdd } from './commands/catalog/add.ts';
import { addCatalogApply } from './commands/catalog/apply.ts';
import { addCatalogCheck } from './commands/catalog/check.ts';
import { addCatalogRemove } from './commands/catalog/remove.ts';
import { addCatalogShow } from './commands/catalog/show.ts';
import { addCompletion } from './commands/completion/print.ts';
import { addKeysCreate } from './commands/keys/create.ts';
import { addKeysExpire } from './commands/keys/expire.ts';
import { addKeysList } from './commands/keys/list.ts';
import { addKeysOldPepper } from './commands/keys/old-pepper.ts';
import { addKeysRename } from './commands/keys/rename.ts';
import { addKeysRevoke } from './commands/keys/revoke.ts';
import { addKeysRotate } from './commands/keys/rotate.ts';
import { addVerifyLedger } from './commands/ledger/verify.ts';
import { addLimitsSet } from './commands/limits/set.ts';
import { addLimitsShow } from './commands/limits/show.ts';
import { addPoolsAdd } from './commands/pools/add.ts';
import { addPoolsChange } from './commands/pools/change.ts';
import { addPoolsList } from './commands/pools/list.ts';
import { addPoolsRemove } from './commands/pools/remove.ts';
import { addReceiptsList } from './commands/receipts/list.ts';
import { addReceiptsShow } from './commands/receipts/show.ts';
import { addSeatsAdd } from './commands/seats/add.ts';
import { addSeatsInvite } from './commands/seats/invite.ts';
import { addSeatsList } from './commands/seats/list.ts';
import { addSeatsMove } from './commands/seats/move.ts';
import { addSeatsRemove } from './commands/seats/remove.ts';
import { addSeatsWithdraw } from './commands/seats/withdraw.ts';
import { addStatus } from './commands/status/show.ts';
import { addTeamsCreate } from './commands/teams/create.ts';
import { addTeamsDelete } from './commands/teams/delete.ts';
import { addTeamsList } from './commands/teams/list.ts';
import { addTeamsSetLimit } from './commands/teams/set-limit.ts';
import { addUsage } from './commands/usage/show.ts';
import { HELP } from './help.ts';
import type { Io } from './io.ts';
import { reportFailure, reportWrongUsage, wantsJson } from './report-failure.ts';
import { createRunCommand } from './run-command.ts';

/**
 * Runs gatewayctl once.
 * @param args the command line after the program's name
 * @returns the exit code: 0, 1 when the command failed, 2 when it was not understood
 */
export async function runGatewayctl(args: readonly string[], io: Io): Promise<number> {
  const asJson = wantsJson(args);
  try {
    await buildProgram(io, asJson).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander throws this, too, when the help or the version was asked for.
      if (error.exitCode === 0) return 0;
      reportWrongUsage(error, asJson, io);
      return 2;
    }
    reportFailure(error, asJson, io);
    return 1;
  }
}

/** @param asJson true when a wrong command line is reported as JSON, and not in commander's words */
export function buildProgram(io: Io, asJson = false): Command {
  const program = new Command('gatewayctl')
    .description('Manages a model gateway through its control plane.')
    .version(VERSION)
    .option('--control-plane <addresses>', 'host:port, several separated by commas (CONTROL_PLANE_ADDRESS)')
    .option('--admin-token <token>', 'proves that you may (ADMIN_TOKEN)')
    .option('--data-dir <folder>', 'of a gateway started here, for its dev.json (GATEWAY_DATA_DIR)')
    .option('--trust-older-server', 'send the admin token to a control plane that is too old to prove itself')
    .option('--verbose', 'say on standard error which control plane answers, as on a terminal')
    .option('--json', 'print one JSON value and nothing else')
    .configureHelp(HELP)
    .configureOutput({
      writeOut: io.writeOut,
      writeErr: asJson ? () => undefined : io.writeError,
    })
    .exitOverride();
  const run = createRunCommand(program, io);

  const accounts = program.command('accounts').description('who owns keys');
  addAccountsCreate(accounts, run);
  addAccountsList(accounts, run);
  addAccountsResetPassword(accounts, run);
  addAccountsSuspend(accounts, run);
  addAccountsResume(accounts, run);
  addAccountsDelete(accounts, run);

  const keys = program.command('keys').description('API keys');
  addKeysCreate(keys, run);
  addKeysList(keys, run);
  addKeysOldPepper(keys, run);
  addKeysRename(keys, run);
  addKeysRotate(keys, run);
  addKeysExpire(keys, run);
  addKeysRevoke(keys, run, io);

  const teams = program.command('teams').description('accounts that share a limit and credit');
  addTeamsCreate(teams, run);
  addTeamsList(teams, run);
  addTeamsSetLimit(teams, run);
  addTeamsDelete(teams, run);

  const seats = program.command('seats').description("accounts' places in teams");
  addSeatsAdd(seats, run);
  addSeatsInvite(seats, run);
  addSeatsList(seats, run);
  addSeatsMove(seats, run);
  addSeatsRemove(seats, run);
  addSeatsWithdraw(seats, run);

  const limits = program.command('limits').description('what each key of an account may do');
  addLimitsSet(limits, run);
  addLimitsShow(limits, run);

  const pools = program.command('pools').description('money for paid models');
  addPoolsAdd(pools, run);
  addPoolsList(pools, run);
  addPoolsChange(pools, run);
  addPoolsRemove(pools, run);

  const catalog = program.command('catalog').description('providers and models');
  addCatalogAdd(catalog, run, io);
  addCatalogApply(catalog, run, io);
  addCatalogCheck(catalog, run, io);
  addCatalogRemove(catalog, run);
  addCatalogShow(catalog, run);

  addUsage(program, run);
  const receipts = program.command('receipts').description('what single requests cost');
  addReceiptsList(receipts, run);
  addReceiptsShow(receipts, run);
  addVerifyLedger(program, run);

  addStatus(program, run);
  addCompletion(program, io);
  return program;
}
