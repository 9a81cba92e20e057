import type { ControlPlaneCalls } from '@model-gateway/contracts';
import { formatUsd, parseUsd } from '@model-gateway/shared';
import { CommandFailure } from '../command-failure.ts';
import { type CalledServer, describeCallFailure } from '../describe-call-failure.ts';
import { accountJson } from '../output/account-table.ts';
import { shortenUsd } from '../output/usd.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS, type CommandResult } from '../run-command.ts';

interface SamePool {
  /** Empty: unlimited. */
  includedUsd: string;
  unlimited: boolean;
  name: string;
  resets: string;
  expiresAtMs?: number;
}

/** Gives every account that is not deleted a pool. Suspended ones can spend it when they are resumed. */
export async function addPoolToAll(
  client: ControlPlaneCalls,
  pool: SamePool,
  { dryRun, server }: { dryRun: boolean; server: CalledServer },
): Promise<CommandResult> {
  const pages = readAllPages(
    (place) => client.call(CALL_DEADLINE_MS, 'accounts', 'listAccounts', place),
    ({ accounts }) => accounts.map(accountJson),
  );
  const accounts = (await Array.fromAsync(pages)).flat().filter(({ status }) => status !== 'deleted');
  const poolIds: string[] = [];
  for (const { id, email } of dryRun ? [] : accounts) {
    const request = { ...pool, owner: { kind: 'account', id } };
    try {
      poolIds.push((await client.callOnce(CALL_DEADLINE_MS, 'pools', 'addPool', request)).id);
    } catch (error) {
      const reason = describeCallFailure(error, server);
      if (reason === undefined) throw error;
      const lines = [
        `${poolIds.length} of ${accounts.length} accounts got the pool; ${email} failed: ${reason.join('; ')}`,
        `do not repeat --all: add the pool to ${email} and the accounts below it in \`accounts list\``,
      ];
      throw new CommandFailure(poolIds.length === 0 ? lines.slice(0, 1) : lines, { cause: error });
    }
  }
  const each = parseUsd(pool.includedUsd) ?? 0n;
  const totalUsd = pool.unlimited ? null : formatUsd(each * BigInt(accounts.length));
  const amounts =
    totalUsd === null
      ? 'each unlimited'
      : `${shortenUsd(formatUsd(each))} USD each, ${shortenUsd(totalUsd)} USD in all`;
  const count = `${accounts.length} ${accounts.length === 1 ? 'account' : 'accounts'}`;
  return {
    json: { dry_run: dryRun, accounts: accounts.length, total_usd: totalUsd, pool_ids: poolIds },
    text: dryRun
      ? `Nothing was changed. ${count} would get a pool: ${amounts}.\n`
      : `${count} got a pool: ${amounts}.\n`,
  };
}
