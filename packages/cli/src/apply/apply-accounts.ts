import type { AccountMessage } from '@model-gateway/contracts';
import { CommandFailure } from '../command-failure.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS } from '../run-command.ts';
import { applyKeys } from './apply-keys.ts';
import { applyLimits } from './apply-limits.ts';
import { applyMembers } from './apply-members.ts';
import { applyPools } from './apply-pools.ts';
import { applyRules } from './apply-rules.ts';
import { type ApplyRun, applyChange, applyDifferences, compareField } from './apply-run.ts';
import { applyTeams } from './apply-teams.ts';
import type { GatewayFile, WantedAccount } from './gateway-file.ts';

/** Makes the gateway as the file says, or reports what that would change. @throws the error of a call */
export async function applyAccounts(run: ApplyRun, { accounts }: GatewayFile): Promise<void> {
  const existing = await readAccounts(run);
  const ids = new Map<string, string | undefined>();
  // Holders of seats must exist before their seats.
  for (const wanted of accounts)
    ids.set(wanted.email, await applyAccount(run, wanted, findAccount(existing, wanted)));
  for (const wanted of accounts) await applyParts(run, wanted, ids.get(wanted.email));
}

interface Accounts {
  byEmail: ReadonlyMap<string, AccountMessage>;
  byExternalId: ReadonlyMap<string, AccountMessage>;
}

async function readAccounts({ client }: ApplyRun): Promise<Accounts> {
  const pages = readAllPages(
    (place) => client.call(CALL_DEADLINE_MS, 'accounts', 'listAccounts', place),
    ({ accounts }) => accounts,
  );
  const accounts = (await Array.fromAsync(pages)).flat();
  return {
    byEmail: new Map(accounts.map((account) => [account.email.toLowerCase(), account])),
    byExternalId: new Map(
      accounts.flatMap((account) =>
        account.externalId === undefined ? [] : [[account.externalId, account]],
      ),
    ),
  };
}

/**
 * Finds the account of an entry by its external id, else by its address.
 * @throws CommandFailure if the external id is that of an account with another address
 */
function findAccount(
  { byEmail, byExternalId }: Accounts,
  { email, external_id: externalId }: WantedAccount,
): AccountMessage | undefined {
  const found = externalId === undefined ? undefined : byExternalId.get(externalId);
  if (found === undefined) return byEmail.get(email);
  if (found.email.toLowerCase() === email) return found;
  const problem =
    found.deletedAtMs === undefined
      ? `has the e-mail address ${found.email}, which cannot be changed: put that address into the file`
      : `is deleted (${found.id}): leave external_id out`;
  throw new CommandFailure([
    `account ${email}: the account with the external_id ${externalId} ${problem}, or use another external_id`,
  ]);
}

/** @returns the id; undefined in a plan that creates it */
async function applyAccount(
  run: ApplyRun,
  { email, external_id: externalId, name = '', timezone, week_starts: weekStarts }: WantedAccount,
  existing: AccountMessage | undefined,
): Promise<string | undefined> {
  const object = `account ${email}`;
  const members = {
    ...(externalId !== undefined && { externalId }),
    ...(timezone !== undefined && { timezone }),
    ...(weekStarts !== undefined && { weekStarts }),
  };
  if (existing === undefined) {
    const created = await applyChange(run, { action: 'create', object }, () =>
      run.client.callOnce(CALL_DEADLINE_MS, 'accounts', 'createAccount', { email, name, ...members }),
    );
    return created?.id;
  }
  const differences = [
    ...compareField('external_id', existing.externalId ?? null, externalId),
    ...compareField('timezone', existing.timezone, timezone),
    ...compareField('week_starts', existing.weekStarts, weekStarts),
  ];
  await applyDifferences(run, object, differences, () =>
    run.client.call(CALL_DEADLINE_MS, 'accounts', 'changeAccount', { account: existing.id, ...members }),
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
}
