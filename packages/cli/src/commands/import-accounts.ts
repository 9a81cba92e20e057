import { type ControlPlaneCalls, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { type AccountRow, parseAccountsFile } from '../accounts-file/parse-accounts-file.ts';
import { CommandFailure } from '../command-failure.ts';
import { type CalledServer, describeCallFailure } from '../describe-call-failure.ts';
import type { Io } from '../io.ts';
import { formatTable } from '../output/format-table.ts';
import { readInput } from '../read-input.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';
import { accountIdOf } from './account-id.ts';

/** The name of imported pools, by which a repeated import finds them. */
const POOL_NAME = 'Imported';

/** One row after the import, or after what --dry-run would do. */
interface ImportedAccount {
  email: string;
  /** Null: not created yet, with --dry-run. */
  id: string | null;
  account: 'created' | 'exists';
  /** Null: the row has no pool. */
  pool: 'added' | 'exists' | null;
}

export function addAccountsImport(accounts: Command, run: RunCommand, io: Pick<Io, 'readStdin'>): void {
  accounts
    .command('import')
    .description(
      'create the accounts of a CSV file with the columns email, name, pool_usd and resets (all but email ' +
        'may be left out); accounts that exist are kept, so that an import can be repeated',
    )
    .requiredOption('-f, --file <file>', 'CSV; - reads standard input')
    .option('--dry-run', 'only report what would be done', false)
    .action(async ({ file, dryRun }: { file: string; dryRun: boolean }) => {
      const rows = parseAccountsFile(await readInput(file, io), file);
      return await run((client, { server }) => importAccounts(client, rows, { dryRun, server }));
    });
}

async function importAccounts(
  client: ControlPlaneCalls,
  rows: readonly AccountRow[],
  { dryRun, server }: { dryRun: boolean; server: CalledServer },
): Promise<CommandResult> {
  const done: ImportedAccount[] = [];
  for (const row of rows) {
    try {
      done.push(await importAccount(client, row, dryRun));
    } catch (error) {
      const reason = describeCallFailure(error, server);
      if (reason === undefined) throw error;
      const where = `${done.length} of ${rows.length} accounts are imported; ${row.email} failed`;
      const advice = 'run the same command again: what is imported is left as it is';
      throw new CommandFailure([`${where}: ${reason.join('; ')}`, advice], { cause: error });
    }
  }
  const created = done.filter(({ account }) => account === 'created').length;
  const pools = done.filter(({ pool }) => pool === 'added').length;
  const table = formatTable(
    ['EMAIL', 'ID', 'ACCOUNT', 'POOL'],
    done.map(({ email, id, account, pool }) => [email, id ?? '-', account, pool ?? '-']),
  );
  const summary = `${created} accounts created, ${done.length - created} existed, ${pools} pools added`;
  return {
    json: { dry_run: dryRun, created, existed: done.length - created, pools_added: pools, accounts: done },
    text: `${table}${dryRun ? `Nothing was changed. This would be: ${summary}` : summary}\n`,
  };
}

async function importAccount(
  client: ControlPlaneCalls,
  { email, name, pool }: AccountRow,
  dryRun: boolean,
): Promise<ImportedAccount> {
  const existing = await idIfThere(client, email);
  const id = existing ?? (dryRun ? null : await createAccount(client, email, name));
  const account = existing === undefined ? 'created' : 'exists';
  if (pool === undefined) return { email, id, account, pool: null };
  if (existing !== undefined && (await hasImportedPool(client, existing))) {
    return { email, id, account, pool: 'exists' };
  }
  if (id !== null && !dryRun) {
    const owner = { kind: 'account', id };
    const request = { owner, includedUsd: pool.usd, name: POOL_NAME, resets: pool.resets };
    await client.callOnce(CALL_DEADLINE_MS, 'pools', 'addPool', request);
  }
  return { email, id, account, pool: 'added' };
}

async function createAccount(client: ControlPlaneCalls, email: string, name: string): Promise<string> {
  const { id } = await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'createAccount', { email, name });
  return id;
}

async function idIfThere(client: ControlPlaneCalls, email: string): Promise<string | undefined> {
  try {
    return await accountIdOf(client, email);
  } catch (error) {
    if (grpcStatus(error) === GrpcStatus.NOT_FOUND) return undefined;
    throw error;
  }
}

async function hasImportedPool(client: ControlPlaneCalls, id: string): Promise<boolean> {
  const owner = { kind: 'account', id };
  const { pools } = await client.call(CALL_DEADLINE_MS, 'pools', 'listPools', { owner });
  return pools.some(({ name }) => name === POOL_NAME);
}
