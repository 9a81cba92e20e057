import type { Command } from 'commander';
import { poolJson, poolTable } from '../../output/pool.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addPoolsChange(pools: Command, run: RunCommand): void {
  pools
    .command('change')
    .description(
      'change what a pool includes, by an entry in the ledger; ' +
        'what is used or set aside stays: less than that is refused',
    )
    .argument('<POOL_ID>', 'as `pools list` shows it')
    .requiredOption('--usd <amount>', 'US dollars that it includes from now on, such as 5.00')
    .action((poolId: string, { usd: includedUsd }: { usd: string }) =>
      run(async (client) => {
        const message = await client.call(CALL_DEADLINE_MS, 'pools', 'changePool', { poolId, includedUsd });
        const pool = poolJson(message);
        return { json: pool, text: poolTable([pool]) };
      }),
    );
}
