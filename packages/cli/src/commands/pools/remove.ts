import type { RemovePoolResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { poolJson } from '../../output/pool.ts';
import { shortUsd, usd } from '../../output/usd.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

export function addPoolsRemove(pools: Command, run: RunCommand): void {
  pools
    .command('remove')
    .description(
      'close a pool for good: an entry in the ledger takes out what is left, ' +
        'and nobody draws on it any more; ' +
        'what is used stays, and what is set aside until its requests have ended',
    )
    .argument('<POOL_ID>', 'as `pools list` shows it')
    .action((poolId: string) =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'pools', 'removePool', { poolId });
        return removalResult(answer);
      }),
    );
}

function removalResult({ pool: message, taken }: RemovePoolResponseMessage): CommandResult {
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
