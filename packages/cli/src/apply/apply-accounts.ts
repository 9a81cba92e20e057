import type { AccountMessage } from '@model-gateway/contracts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS } from '../run-command.ts';
import { applyKeys } from './apply-keys.ts';
import { applyLimits } from './apply-limits.ts';
import { applyMembers } from './apply-members.ts';
import { applyPools } from './apply-pools.ts';
import { applyRules } from './apply-rules.ts';
import { type ApplyRun, applyChange, applyDifferences, compareField } from './apply-run.ts';
import { applyTeams } from './apply-teams.ts';
import { applyWebhooks } from './apply-webhooks.ts';
import type { GatewayFile, WantedAccount } from './gateway-file.ts';

/** Makes the gateway as the file says, or reports what that would change. @throws the error of a call */
export async function applyAccounts(run: ApplyRun, { accounts, webhooks }: GatewayFile): Promise<void> {
  const existing = await accountsByEmail(run);
  const ids = new Map<string, string | undefined>();
  // Holders of seats must exist before their seats.
  for (const wanted of accounts)
    ids.set(wanted.email, await applyAccount(run, wanted, existing.get(wanted.email)));
  for (const wanted of accounts) await applyParts(run, wanted, ids.get(wanted.email));
  await applyWebhooks(run, { account: null, name: 'the installation' }, webhooks);
}

async function accountsByEmail({ client }: ApplyRun): Promise<Map<string, AccountMessage>> {
  const pages = readAllPages(
    (place) => client.call(CALL_DEADLINE_MS, 'accounts', 'listAccounts', place),
    ({ accounts }) =>
      accounts.map((account): [string, AccountMessage] => [account.email.toLowerCase(), account]),
  );
  return new Map((await Array.fromAsync(pages)).flat());
}

/** @returns the id; undefined in a plan that creates it */
async function applyAccount(
  run: ApplyRun,
  { email, name = '', timezone, week_starts: weekStarts }: WantedAccount,
  existing: AccountMessage | undefined,
): Promise<string | undefined> {
  const object = `account ${email}`;
  const calendar = {
    ...(timezone !== undefined && { timezone }),
    ...(weekStarts !== undefined && { weekStarts }),
  };
  if (existing === undefined) {
    const created = await applyChange(run, { action: 'create', object }, () =>
      run.client.callOnce(CALL_DEADLINE_MS, 'accounts', 'createAccount', { email, name, ...calendar }),
    );
    return created?.id;
  }
  const differences = [
    ...compareField('timezone', existing.timezone, timezone),
    ...compareField('week_starts', existing.weekStarts, weekStarts),
  ];
  await applyDifferences(run, object, differences, () =>
    run.client.call(CALL_DEADLINE_MS, 'accounts', 'changeAccount', { account: existing.id, ...calendar }),
  );
  return existing.id;
}

/** Applies what belongs to an account. @param id undefined in a plan that creates it */
async function applyParts(run: ApplyRun, wanted: WantedAccount, id: string | undefined): Promise<void> {
  const { email } = wanted;
  await applyLimits(run, email, id, wanted.limits);
  await applyRules(run, `rules of ${email}`, { kind: 'account', id }, wanted.rules);
  await applyRules(run, `rules of end users of ${email}`, { kind: 'end_users', id }, wanted.end_user_rules);
  await applyMembers(run, email, id, wanted.members);
  await applyPools(run, { kind: 'account', id, name: email }, wanted.pools);
  await applyKeys(run, { account: id, name: email, secretPrefix: email }, wanted.keys);
  await applyTeams(run, email, id, wanted.teams);
  await applyWebhooks(run, { account: id, name: email }, wanted.webhooks);
}
