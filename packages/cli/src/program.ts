import { VERSION } from '@model-gateway/service-kit';
import { Command, CommanderError, Option } from 'commander';
import { addAccounts } from './commands/accounts.ts';
import { addAdminKeys } from './commands/admin-keys.ts';
import { addApply } from './commands/apply.ts';
import { addAudit } from './commands/audit.ts';
import { addCatalog } from './commands/catalog.ts';
import { addCompletion } from './commands/completion.ts';
import { addCredentials } from './commands/credentials.ts';
import { addDemo } from './commands/demo.ts';
import { addFleet } from './commands/fleet.ts';
import { addFocus } from './commands/focus.ts';
import { addKeys } from './commands/keys.ts';
import { addLimits } from './commands/limits.ts';
import { addMembers } from './commands/members.ts';
import { addModels, addProviders } from './commands/models.ts';
import { addPools } from './commands/pools.ts';
import { addPriceLists } from './commands/price-lists.ts';
import { addPrices } from './commands/prices.ts';
import { addReceipts } from './commands/receipts.ts';
import { addReconcile } from './commands/reconcile.ts';
import { addRoles } from './commands/roles.ts';
import { addRules } from './commands/rules.ts';
import { addScimTokens } from './commands/scim-tokens.ts';
import { addSeats } from './commands/seats.ts';
import { addStatements } from './commands/statements.ts';
import { addStatus } from './commands/status.ts';
import { addTeams } from './commands/teams.ts';
import { addUsage } from './commands/usage.ts';
import { addVerifyLedger } from './commands/verify-ledger.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { HELP } from './help.ts';
import type { Io } from './io.ts';
import { separateReceiverUrl } from './receiver-url.ts';
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
      // commander also throws after it has printed the help or the version.
      if (error.exitCode === 0) return 0;
      reportWrongUsage(error, asJson, io);
      return 2;
    }
    reportFailure(error, asJson, io);
    return 1;
  }
}

/** @param asJson true: report a wrong command line as JSON instead of commander's messages */
export function buildProgram(io: Io, asJson = false): Command {
  const program = new Command('gatewayctl')
    .description('Manages a model gateway through its control plane.')
    .version(VERSION)
    .option('--control-plane <addresses>', 'host:port, several separated by commas (CONTROL_PLANE_ADDRESS)')
    .option('--admin-token <token>', 'the admin token of the control plane (ADMIN_TOKEN)')
    .addOption(
      new Option('--url <url>', 'management API to call instead, over HTTP (GATEWAY_ADMIN_URL)').conflicts([
        'controlPlane',
        'adminToken',
      ]),
    )
    .addOption(
      new Option(
        '--token <key>',
        'with --url: the admin key, gw_admin_…; - reads it from standard input (GATEWAY_ADMIN_KEY)',
      ).conflicts(['controlPlane', 'adminToken']),
    )
    .option('--data-dir <folder>', 'data directory of npm start, to find its gateway (GATEWAY_DATA_DIR)')
    .option('--trust-older-server', 'send the admin token to a control plane that is too old to prove itself')
    .option('--verbose', 'print which control plane responds, on standard error (default on a terminal)')
    .option('--json', 'print one JSON value and nothing else')
    .configureHelp(HELP)
    .configureOutput({
      writeOut: io.writeOut,
      writeErr: asJson ? () => undefined : io.writeError,
    })
    .exitOverride();
  const run = createRunCommand(program, io);
  addAccounts(program, run, io);
  addKeys(program, run, io);
  addAdminKeys(program, run);
  addTeams(program, run);
  addSeats(program, run);
  addMembers(program, run);
  addRoles(program, run);
  addLimits(program, run);
  addRules(program, run, io);
  addPools(program, run);
  addApply(program, run, io);
  addCatalog(program, run, io);
  addPriceLists(program, run, io);
  addPrices(program, run, io);
  addModels(program, run);
  addProviders(program, run);
  addCredentials(program, run, io);
  addUsage(program, run);
  addReceipts(program, run);
  addStatements(program, run);
  addWebhooks(program, run);
  separateReceiverUrl(program);
  addAudit(program, run, io);
  addVerifyLedger(program, run);
  addReconcile(program, run, io);
  addFocus(program, run);
  addScimTokens(program, run);
  addDemo(program, run);
  addStatus(program, run);
  addFleet(program, run);
  addCompletion(program, io);
  return program;
}
