import type { Command } from 'commander';
import { poolJson, poolTable } from '../../output/pool.ts';
import { addPoolOwnerOptions, type PoolOwnerOptions, poolOwner } from '../../pool-owner-options.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addPoolsList(pools: Command, run: RunCommand): void {
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
