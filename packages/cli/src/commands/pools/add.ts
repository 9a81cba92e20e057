import { type Command, Option } from 'commander';
import { poolJson, poolTable } from '../../output/pool.ts';
import { parseUsdOption } from '../../parse-usd.ts';
import { addPoolOwnerOptions, type PoolOwnerOptions, poolOwner } from '../../pool-owner-options.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Options extends PoolOwnerOptions {
  usd: string;
  name?: string;
  resets: string;
}

export function addPoolsAdd(pools: Command, run: RunCommand): void {
  const add: Command = addPoolOwnerOptions(pools.command('add'))
    .description('give an account, a team or a seat money for paid models')
    .requiredOption('--usd <amount>', 'how much, such as 5.00', parseUsdOption)
    .option('--name <name>', 'how it is called (what it is: "5.00 USD every month")')
    .addOption(
      new Option('--resets <when>', 'full again on the first of every month (UTC), or never')
        .choices(['monthly', 'never'])
        .default('never'),
    )
    .action((argument: string | undefined, options: Options) => {
      const { usd: includedUsd, name = '', resets } = options;
      const request = { owner: poolOwner(add, argument, options), includedUsd, name, resets };
      return run(async (client) => {
        const message = await client.callOnce(CALL_DEADLINE_MS, 'pools', 'addPool', request);
        const pool = poolJson(message);
        return { json: pool, text: poolTable([pool]) };
      });
    });
}
