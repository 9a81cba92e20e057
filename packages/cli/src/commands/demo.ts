import type { RemoveDemoResponseMessage } from '@model-gateway/contracts';
import { DEMO_EMAIL } from '@model-gateway/shared';
import type { Command } from 'commander';
import { confirmedResult } from '../output/unconfirmed-note.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';

export function addDemo(program: Command, run: RunCommand): void {
  const demo = program.command('demo').description('manage the made-up usage of npm start');
  addDemoRemove(demo, run);
}

function addDemoRemove(demo: Command, run: RunCommand): void {
  demo
    .command('remove')
    .description(`remove the made-up usage and its account, ${DEMO_EMAIL}, with all that the account has`)
    .action(() =>
      run(async (client) => removalResult(await client.call(CALL_DEADLINE_MS, 'accounts', 'removeDemo', {}))),
    );
}

function removalResult({
  accountId,
  requests,
  unconfirmedInstances,
}: RemoveDemoResponseMessage): CommandResult {
  const isRemoved = accountId !== undefined;
  return confirmedResult({
    json: { removed: isRemoved, account_id: accountId ?? null, requests: Number(requests) },
    text: isRemoved
      ? `${DEMO_EMAIL} removed, with ${requests} requests`
      : 'There is no made-up usage: nothing to remove.',
    unconfirmed: unconfirmedInstances,
    may: `accept keys of ${DEMO_EMAIL}`,
  });
}
