import type { ControlPlaneCalls, RemovePoolResponseMessage } from '@model-gateway/contracts';
import { type Command, Option } from 'commander';
import { type PoolJson, poolJson, poolTable } from '../output/pool-table.ts';
import { heldText } from '../output/removed-pools-text.ts';
import { shortenUsd, usd } from '../output/usd.ts';
import { parseExpiry } from '../parse-key-end.ts';
import { parseUsdOption } from '../parse-usd.ts';
import { addPoolOwnerOptions, type PoolOwnerOptions, poolOwner } from '../pool-owner-options.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';
import { addPoolToAll } from './add-pool-to-all.ts';
import { namesOf } from './names-of.ts';

const POOL_ID_HELP = 'id as in `pools list`';

export function addPools(program: Command, run: RunCommand): void {
  const pools = program.command('pools').description('manage money for paid models');
  addPoolsAdd(pools, run);
  addPoolsList(pools, run);
  addPoolsChange(pools, run);
  addPoolsRemove(pools, run);
}

interface AddOptions extends PoolOwnerOptions {
  all?: boolean;
  dryRun?: boolean;
  usd?: string;
  unlimited?: boolean;
  name?: string;
  resets: string;
  expires?: number;
}

function addPoolsAdd(pools: Command, run: RunCommand): void {
  const add: Command = addPoolOwnerOptions(pools.command('add'))
    .description('give an account, a team, a seat or every account money for paid models')
    .option('--all', 'a pool of its own for every account; asks no question')
    .option('--dry-run', 'with --all: only say how many accounts would get a pool')
    .option('--usd <amount>', 'US dollars, such as 5.00', parseUsdOption)
    .option('--unlimited', 'instead of --usd: count what is used, and refuse nothing')
    .option('--name <name>', 'name of the pool (its amount and period, such as "5.00 USD every month")')
    .addOption(
      new Option('--resets <when>', 'refill the pool on the first of every month (UTC), or never')
        .choices(['monthly', 'never'])
        .default('never'),
    )
    .option(
      '--expires <when>',
      'a length of time such as 30d, or a date or time, when what is left is taken away (never)',
      parseExpiry,
    )
    .action((argument: string | undefined, options: AddOptions) => {
      const { name = '', resets, expires: expiresAtMs, all = false, dryRun = false } = options;
      const pool = {
        ...requireAmount(add, options),
        name,
        resets,
        ...(expiresAtMs !== undefined && { expiresAtMs }),
      };
      if (all) {
        const named = [argument, options.account, options.team, options.seat];
        if (named.some((each) => each !== undefined)) add.error('error: name an owner, or give --all');
        return run((client, { server }) => addPoolToAll(client, pool, { dryRun, server }));
      }
      if (dryRun) add.error('error: --dry-run needs --all');
      const request = { ...pool, owner: poolOwner(add, argument, options) };
      return run(async (client) => {
        const pool = poolJson(await client.callOnce(CALL_DEADLINE_MS, 'pools', 'addPool', request));
        return { json: pool, text: () => poolsText(client, [pool]) };
      });
    });
}

/** Ends the program unless there is an amount or `--unlimited`. */
function requireAmount(
  command: Command,
  { usd: includedUsd = '', unlimited = false }: { usd?: string; unlimited?: boolean },
) {
  if ((includedUsd !== '') === unlimited) command.error('error: give either --usd or --unlimited');
  return { includedUsd, unlimited };
}

function addPoolsList(pools: Command, run: RunCommand): void {
  const list: Command = addPoolOwnerOptions(pools.command('list'))
    .description('list pools in the order in which requests use them')
    .action((argument: string | undefined, options: PoolOwnerOptions) => {
      const request = { owner: poolOwner(list, argument, options) };
      return run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'pools', 'listPools', request);
        const result = answer.pools.map(poolJson);
        return { json: result, text: () => poolsText(client, result) };
      });
    });
}

async function poolsText(client: ControlPlaneCalls, pools: readonly PoolJson[]): Promise<string> {
  return poolTable(
    pools,
    await namesOf(
      client,
      pools.map((pool) => pool.owner_id),
    ),
  );
}

function addPoolsChange(pools: Command, run: RunCommand): void {
  const change: Command = pools
    .command('change')
    .description(
      'change the amount of a pool, by an entry in the ledger; ' +
        'an amount below the used and reserved money is refused',
    )
    .argument('<POOL_ID>', POOL_ID_HELP)
    .option('--usd <amount>', 'the new amount in US dollars, such as 5.00')
    .option('--unlimited', 'instead of --usd: count what is used, and refuse nothing')
    .action((poolId: string, options: { usd?: string; unlimited?: boolean }) => {
      const request = { poolId, ...requireAmount(change, options) };
      return run(async (client) => {
        const pool = poolJson(await client.call(CALL_DEADLINE_MS, 'pools', 'changePool', request));
        return { json: pool, text: () => poolsText(client, [pool]) };
      });
    });
}

function addPoolsRemove(pools: Command, run: RunCommand): void {
  pools
    .command('remove')
    .description(
      'remove a pool for good: an entry in the ledger takes out the unused money; ' +
        'running requests can still use what is reserved for them',
    )
    .argument('<POOL_ID>', POOL_ID_HELP)
    .action((poolId: string) =>
      run(async (client) =>
        poolRemovalResult(await client.call(CALL_DEADLINE_MS, 'pools', 'removePool', { poolId })),
      ),
    );
}

function poolRemovalResult({ pool: message, taken }: RemovePoolResponseMessage): CommandResult {
  if (message === null) throw new Error('the control plane answered without a pool');
  const pool = poolJson(message);
  const takenUsd = usd(taken);
  return {
    json: { ...pool, taken_usd: takenUsd },
    text:
      `${pool.id} removed; ${shortenUsd(takenUsd)} USD taken out, ${shortenUsd(pool.used_usd)} ` +
      `USD used${heldText(pool.held_usd)}\n`,
  };
}
