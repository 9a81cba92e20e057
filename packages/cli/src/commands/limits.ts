import type { Command } from 'commander';
import { addAccountArgument, onAccount } from '../account-argument.ts';
import { limitsJson, limitsTable } from '../output/limits-table.ts';
import { unconfirmedNote } from '../output/unconfirmed-note.ts';
import { parseLimitOrDefault } from '../parse-limit.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

type Limit = number | 'default';

interface SetOptions {
  account?: string;
  freePerMinute?: Limit;
  paidPerMinute?: Limit;
  readsPerMinute?: Limit;
  streams?: Limit;
}

export function addLimits(program: Command, run: RunCommand): void {
  const limits = program
    .command('limits')
    .description('show and change the rate limits of the keys of an account');
  addLimitsSet(limits, run);
  addLimitsShow(limits, run);
}

function addLimitsSet(limits: Command, run: RunCommand): void {
  const set: Command = addAccountArgument(limits.command('set'))
    .description('change limits of each key of an account; limits that you do not name stay')
    .option('--free-per-minute <n>', 'requests to free models: a number, or default', parseLimitOrDefault)
    .option('--paid-per-minute <n>', 'requests to paid models: a number, or default', parseLimitOrDefault)
    .option('--reads-per-minute <n>', 'reads of usage and catalog: a number, or default', parseLimitOrDefault)
    .option('--streams <n>', 'concurrent streams: a number, or default', parseLimitOrDefault);
  onAccount(set, (account, { account: _, ...changes }: SetOptions) => {
    if (Object.keys(changes).length === 0) set.error('error: name at least one limit to change');
    return run(async (client) => {
      const request = {
        account,
        freePerMinute: setting(changes.freePerMinute),
        paidPerMinute: setting(changes.paidPerMinute),
        readsPerMinute: setting(changes.readsPerMinute),
        concurrentStreams: setting(changes.streams),
      };
      const answer = await client.call(CALL_DEADLINE_MS, 'accounts', 'setLimits', request);
      const result = limitsJson(answer.limits);
      const unconfirmed = answer.unconfirmedInstances;
      return {
        json: { ...result, unconfirmed_instances: unconfirmed },
        text: limitsTable(result),
        note: unconfirmedNote(unconfirmed, 'apply the old limits'),
      };
    });
  });
}

/** Converts an option to the message's setting: null changes nothing, `{}` restores the default. */
function setting(limit: Limit | undefined): { value?: number } | null {
  if (limit === undefined) return null;
  return limit === 'default' ? {} : { value: limit };
}

function addLimitsShow(limits: Command, run: RunCommand): void {
  const show = addAccountArgument(limits.command('show')).description(
    'show the limits of each key of an account',
  );
  onAccount(show, (account) =>
    run(async (client) => {
      const result = limitsJson(await client.call(CALL_DEADLINE_MS, 'accounts', 'getLimits', { account }));
      return { json: result, text: limitsTable(result) };
    }),
  );
}
