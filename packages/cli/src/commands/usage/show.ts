import type {
  AccountLimitsMessage,
  ControlPlaneClient,
  GetUsageResponseMessage,
} from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { usageJson, usageText } from '../../output/usage.ts';
import { parseTime } from '../../parse-time.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

/** The most expensive ones. */
const MAX_MODELS = 2_000;

interface Options {
  account?: string;
  /** Unix seconds. */
  since?: number;
  until?: number;
}

export function addUsage(program: Command, run: RunCommand): void {
  const usage: Command = addAccountArgument(program.command('usage'))
    .description('show what an account has used through its keys that are on no seat, and its pools')
    .option('--since <time>', 'date or Unix seconds (beginning of the month, UTC)', parseTime)
    .option('--until <time>', 'date or Unix seconds, itself not included (now)', parseTime)
    .action((argument: string | undefined, { account: option, since, until }: Options) => {
      const account = givenAccount(usage, argument, option);
      const endTime = until ?? Math.floor(Date.now() / 1_000) + 1;
      const startTime = since ?? beginningOfMonth(endTime);
      if (startTime >= endTime) usage.error('error: --since must be before --until (now, unless given)');
      return run(async (client) => {
        const accountId = await accountIdOf(client, account);
        const json = usageJson(accountId, await readUsage(client, { accountId, startTime, endTime }));
        return { json, text: usageText(json) };
      });
    });
}

/** The period as one bucket. */
function readUsage(
  client: ControlPlaneClient,
  { accountId, ...period }: { accountId: string; startTime: number; endTime: number },
): Promise<GetUsageResponseMessage> {
  return client.call<GetUsageResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
    stubs.billing.getUsage(
      { payer: { accountId }, ...period, bucketWidth: 0, limit: MAX_MODELS, groupBy: ['model'] },
      ...rest,
    ),
  );
}

/** Usage is asked for by id; of what takes an e-mail address as well, the limits are the smallest answer. */
async function accountIdOf(client: ControlPlaneClient, account: string): Promise<string> {
  const limits = await client.call<AccountLimitsMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
    stubs.accounts.getLimits({ account }, ...rest),
  );
  return limits.accountId;
}

/** @param unixSeconds of which the month's last moment may be the end of the month itself */
function beginningOfMonth(unixSeconds: number): number {
  const last = new Date((unixSeconds - 1) * 1_000);
  return Date.UTC(last.getUTCFullYear(), last.getUTCMonth()) / 1_000;
}
