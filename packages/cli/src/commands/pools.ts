import type { RemovePoolResponseMessage } from '@model-gateway/contracts';
import { type Command, Option } from 'commander';
import { poolJson, poolTable } from '../output/pool.ts';
import { shortUsd, usd } from '../output/usd.ts';
import { parseUsdOption } from '../parse-usd.ts';
import { addPoolOwnerOptions, type PoolOwnerOptions, poolOwner } from '../pool-owner-options.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';

const POOL_ID_HELP = 'as `pools list` shows it';

export function addPools(program: Command, run: RunCommand): void {
  const pools = program.command('pools').description('money for paid models');
  addPoolsAdd(pools, run);
  addPoolsList(pools, run);
  addPoolsChange(pools, run);
  addPoolsRemove(pools, run);
}

interface AddOptions extends PoolOwnerOptions {
  usd: string;
  name?: string;
  resets: string;
}

function addPoolsAdd(pools: Command, run: RunCommand): void {
  const add: Command = addPoolOwnerOptions(pools.command('add'))
    .description('give an account, a team or a seat money for paid models')
    .requiredOption('--usd <amount>', 'how much, such as 5.00', parseUsdOption)
    .option('--name <name>', 'how it is called (what it is: "5.00 USD every month")')
    .addOption(
      new Option('--resets <when>', 'full again on the first of every month (UTC), or never')
        .choices(['monthly', 'never'])
        .default('never'),
    )
    .action((argument: string | undefined, options: AddOptions) => {
      const { usd: includedUsd, name = '', resets } = options;
      const request = { owner: poolOwner(add, argument, options), includedUsd, name, resets };
      return run(async (client) => {
        const pool = poolJson(await client.callOnce(CALL_DEADLINE_MS, 'pools', 'addPool', request));
        return { json: pool, text: poolTable([pool]) };
      });
    });
}

function addPoolsList(pools: Command, run: RunCommand): void {
  const list: Command = addPoolOwnerOptions(pools.command('list'))
    .description('list pools in the order in which they are drawn on')
    .action((argument: string | undefined, options: PoolOwnerOptions) => {
      const request = { owner: poolOwner(list, argument, options) };
      return run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'pools', 'listPools', request);
        const result = answer.pools.map(poolJson);
        return { json: result, text: poolTable(result) };
      });
    });
}

function addPoolsChange(pools: Command, run: RunCommand): void {
  pools
    .command('change')
    .description(
      'change what a pool includes, by an entry in the ledger; ' +
        'what is used or set aside stays: less than that is refused',
    )
    .argument('<POOL_ID>', POOL_ID_HELP)
    .requiredOption('--usd <amount>', 'US dollars that it includes from now on, such as 5.00')
    .action((poolId: string, { usd: includedUsd }: { usd: string }) =>
      run(async (client) => {
        const request = { poolId, includedUsd };
        const pool = poolJson(await client.call(CALL_DEADLINE_MS, 'pools', 'changePool', request));
        return { json: pool, text: poolTable([pool]) };
      }),
    );
}

function addPoolsRemove(pools: Command, run: RunCommand): void {
  pools
    .command('remove')
    .description(
      'close a pool for good: an entry in the ledger takes out what is left, ' +
        'and nobody draws on it any more; ' +
        'what is used stays, and what is set aside until its requests have ended',
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
  const held =
    message.held === '0'
      ? ''
      : `; ${shortUsd(pool.held_usd)} USD are set aside for requests that are running`;
  return {
    json: { ...pool, taken_usd: takenUsd },
    text:
      `${pool.id} removed; ${shortUsd(takenUsd)} USD taken out, ${shortUsd(pool.used_usd)} ` +
      `USD used${held}\n`,
  };
}
