import type { ControlPlaneCalls } from '@model-gateway/contracts';
import type { labelFilters } from '../label-options.ts';
import { usageJson, usageText } from '../output/usage-text.ts';
import { CALL_DEADLINE_MS, type CommandResult } from '../run-command.ts';
import { accountIdOf } from './account-id.ts';
import { namesOf } from './names-of.ts';

/** At most this many models are listed, the most expensive ones. */
const MAX_MODELS = 2_000;

/** Unix seconds. */
interface AccountPeriod {
  account: string;
  startTime: number;
  endTime: number;
  labels: ReturnType<typeof labelFilters>;
}

/** Shows what an account has used through its keys that are on no seat, and its pools. */
export async function accountUsage(
  client: ControlPlaneCalls,
  { account, ...period }: AccountPeriod,
): Promise<CommandResult> {
  const accountId = await accountIdOf(client, account);
  // The whole period is one bucket.
  const answer = await client.call(CALL_DEADLINE_MS, 'billing', 'getUsage', {
    owner: { accountId },
    ...period,
    bucketWidth: 0,
    limit: MAX_MODELS,
    groupBy: ['model'],
  });
  const json = usageJson(accountId, answer);
  const owners = json.pools.map((pool) => pool.owner_id);
  return { json, text: async () => usageText(json, await namesOf(client, [accountId, ...owners])) };
}
