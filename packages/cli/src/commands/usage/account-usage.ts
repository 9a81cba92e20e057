import type { ControlPlaneClient } from '@model-gateway/contracts';
import { usageJson, usageText } from '../../output/usage.ts';
import { CALL_DEADLINE_MS, type CommandResult } from '../../run-command.ts';

/** The most expensive ones. */
const MAX_MODELS = 2_000;

/** Unix seconds. */
interface AccountPeriod {
  account: string;
  startTime: number;
  endTime: number;
}

/** What an account has used through its keys that are on no seat, and its pools. */
export async function accountUsage(
  client: ControlPlaneClient,
  { account, ...period }: AccountPeriod,
): Promise<CommandResult> {
  const accountId = await accountIdOf(client, account);
  // The period as one bucket.
  const answer = await client.call(CALL_DEADLINE_MS, 'billing', 'getUsage', {
    payer: { accountId },
    ...period,
    bucketWidth: 0,
    limit: MAX_MODELS,
    groupBy: ['model'],
  });
  const json = usageJson(accountId, answer);
  return { json, text: usageText(json) };
}

/** Usage is asked for by id; of what takes an e-mail address as well, the limits are the smallest answer. */
async function accountIdOf(client: ControlPlaneClient, account: string): Promise<string> {
  const limits = await client.call(CALL_DEADLINE_MS, 'accounts', 'getLimits', { account });
  return limits.accountId;
}
