import type {
  ControlPlaneCalls,
  DeleteAccountResponseMessage,
  ResetPasswordResponseMessage,
  ResumeAccountResponseMessage,
  SuspendAccountResponseMessage,
} from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, onAccount } from '../account-argument.ts';
import { addCalendarOptions, type CalendarOptions } from '../calendar-options.ts';
import type { Io } from '../io.ts';
import {
  accountJson,
  accountTable,
  type ListedAccountJson,
  listedAccountJson,
  listedAccountTable,
} from '../output/account-table.ts';
import { dashboardLink, linkAdvice } from '../output/dashboard-link.ts';
import { morePagesNote } from '../output/more-pages-note.ts';
import { removedPoolsJson, removedPoolsText } from '../output/removed-pools-text.ts';
import { isoTimestamp } from '../output/timestamp.ts';
import {
  confirmedResult,
  listedIds,
  refusedEverywhere,
  unconfirmedNote,
} from '../output/unconfirmed-note.ts';
import { addPageOptions, type PageOptions, type PagePlace, readPage } from '../page-options.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS, type CommandResult, type ListResult, type RunCommand } from '../run-command.ts';
import { accountIdOf } from './account-id.ts';
import { addAccountsChange } from './change-account.ts';
import { addAccountsImport } from './import-accounts.ts';

const PAGE_LENGTH = 100;
const RESET_PAGE = 'reset-password';

export function addAccounts(program: Command, run: RunCommand, io: Pick<Io, 'readStdin'>): void {
  const accounts = program.command('accounts').description('manage the owners of keys, teams and pools');
  addAccountsCreate(accounts, run);
  addAccountsChange(accounts, run);
  addAccountsImport(accounts, run, io);
  addAccountsList(accounts, run);
  addAccountsResetPassword(accounts, run);
  addAccountsSuspend(accounts, run);
  addAccountsResume(accounts, run);
  addAccountsDelete(accounts, run);
}

function addAccountsCreate(accounts: Command, run: RunCommand): void {
  addCalendarOptions(accounts.command('create'), { timezone: 'UTC', day: 'monday' })
    .description('create an account')
    .requiredOption('--email <address>', 'e-mail address; each account needs its own')
    .option('--name <name>', 'display name (the part of the address before the @)')
    .action(({ email, name = '', ...calendar }: { email: string; name?: string } & CalendarOptions) =>
      run(async (client) => {
        const request = { email, name, ...calendar };
        const account = accountJson(
          await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'createAccount', request),
        );
        return { json: account, text: accountTable([account]) };
      }),
    );
}

interface ListOptions extends PageOptions {
  search?: string;
}

function addAccountsList(accounts: Command, run: RunCommand): void {
  addPageOptions(accounts.command('list'), {
    limit: `all; with --page ${PAGE_LENGTH}`,
    place: 'the id of the last account on the previous page',
  })
    .description('list accounts with the money left in their own pools, oldest first')
    .option('--search <text>', 'only accounts whose id, e-mail address or name contains this text')
    .action((options: ListOptions) => run<ListedAccountJson>((client) => listAccounts(client, options)));
}

async function listAccounts(
  client: ControlPlaneCalls,
  { search, limit, page }: ListOptions,
): Promise<CommandResult | ListResult<ListedAccountJson>> {
  const request = (place: Partial<PagePlace>) =>
    client.call(CALL_DEADLINE_MS, 'accounts', 'listAccounts', {
      ...place,
      withLeft: true,
      ...(search === undefined ? {} : { search }),
    });
  if (limit === undefined && page === undefined) {
    return {
      pages: readAllPages(request, (answer) => answer.accounts.map(listedAccountJson)),
      table: listedAccountTable,
    };
  }
  const { rows, nextPageToken } = await readPage(
    { limit: limit ?? PAGE_LENGTH, page },
    (after) => ({ after }),
    async (place) => {
      const { accounts, nextPageToken } = await request(place);
      return { rows: accounts.map(listedAccountJson), nextPageToken };
    },
  );
  const nextPage = nextPageToken === undefined ? undefined : rows.at(-1)?.id;
  return { json: rows, text: listedAccountTable(rows), note: morePagesNote(nextPage) };
}

interface ResetOptions {
  account?: string;
  /** Undefined when neither --revoke-keys nor --no-revoke-keys was given. */
  revokeKeys?: boolean;
}

function addAccountsResetPassword(accounts: Command, run: RunCommand): void {
  const reset = addAccountArgument(accounts.command('reset-password'))
    .description(
      'print a link that sets a dashboard password, once, also for an account that never had one; ' +
        'ends the sessions and the old password of the account',
    )
    .option('--revoke-keys', 'revoke the keys of the account (default if anybody ever signed in to it)')
    .option('--no-revoke-keys', 'do not revoke keys (default if nobody ever signed in to it)');
  onAccount(reset, (account, { revokeKeys }: ResetOptions) =>
    run(async (client, { dashboardUrl }) => {
      const request = { account, ...(revokeKeys === undefined ? {} : { revokeKeys }) };
      const answer = await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'resetPassword', request);
      return resetPasswordResult(answer, dashboardUrl);
    }),
  );
}

/** @param dashboardUrl undefined: unknown, so the text has the token without a link */
function resetPasswordResult(
  { account, token, expiresAtMs, revokedKeyIds, unconfirmedInstances }: ResetPasswordResponseMessage,
  dashboardUrl: string | undefined,
): CommandResult {
  if (account === null) throw new Error('the control plane answered without an account');
  const url = dashboardUrl === undefined ? null : dashboardLink(dashboardUrl, RESET_PAGE, token);
  const expiresAt = isoTimestamp(expiresAtMs);
  const notes = [
    `for ${account.email}; works once, until ${expiresAt}`,
    ...(url === null ? [linkAdvice(RESET_PAGE)] : []),
    ...listedIds('revoked', revokedKeyIds),
    unconfirmedNote(unconfirmedInstances, `accept keys of ${account.email}`),
  ];
  return {
    json: {
      account_id: account.id,
      email: account.email,
      token,
      url,
      expires_at: expiresAt,
      ...(revokedKeyIds.length === 0
        ? {}
        : { revoked_key_ids: revokedKeyIds, unconfirmed_instances: unconfirmedInstances }),
    },
    text: `${url ?? token}\n`,
    note: notes.filter((note) => note !== undefined).join('; '),
  };
}

function addAccountsSuspend(accounts: Command, run: RunCommand): void {
  const suspend = addAccountArgument(accounts.command('suspend')).description(
    "suspend an account: stop its keys, the keys on its teams' seats and its sign-in at once; " +
      'undo this with `accounts resume`',
  );
  onAccount(suspend, (account) =>
    run(async (client) =>
      suspensionResult(await client.call(CALL_DEADLINE_MS, 'accounts', 'suspendAccount', { account })),
    ),
  );
}

export function suspensionResult(answer: SuspendAccountResponseMessage): CommandResult {
  const account = accountJson(answer.account);
  const { stoppedKeyIds, unconfirmedInstances } = answer;
  const keys = stoppedKeyIds.length === 0 ? 'it had no active keys' : `stopped ${stoppedKeyIds.join(', ')}`;
  return confirmedResult({
    json: { ...account, stopped_key_ids: stoppedKeyIds },
    text: `${account.id} suspended; ${keys}`,
    done: refusedEverywhere(stoppedKeyIds),
    unconfirmed: unconfirmedInstances,
    may: `accept keys of ${account.id}`,
  });
}

function addAccountsResume(accounts: Command, run: RunCommand): void {
  const resume = addAccountArgument(accounts.command('resume')).description(
    'let a suspended account and its keys work again, except keys that were revoked meanwhile',
  );
  onAccount(resume, (account) =>
    run(async (client) =>
      resumptionResult(await client.call(CALL_DEADLINE_MS, 'accounts', 'resumeAccount', { account })),
    ),
  );
}

export function resumptionResult(answer: ResumeAccountResponseMessage): CommandResult {
  const account = accountJson(answer.account);
  const { restoredKeyIds, unconfirmedInstances } = answer;
  const keys =
    restoredKeyIds.length === 0 ? 'it had no suspended keys' : `${restoredKeyIds.join(', ')} work again`;
  return confirmedResult({
    json: { ...account, restored_key_ids: restoredKeyIds },
    text: `${account.id} resumed; ${keys}`,
    unconfirmed: unconfirmedInstances,
    may: `refuse keys of ${account.id}`,
  });
}

function addAccountsDelete(accounts: Command, run: RunCommand): void {
  const remove = addAccountArgument(accounts.command('delete')).description(
    'delete an account for good, with its teams, keys, sign-in and unused money; ' +
      'its receipts stay under its id, without name and address',
  );
  onAccount(remove, (account) =>
    run(async (client) => {
      // The client repeats a slow call at the next control plane, where the e-mail address may be deleted.
      const id = await accountIdOf(client, account);
      const answer = await client.call(CALL_DEADLINE_MS, 'accounts', 'deleteAccount', { account: id });
      return deletionResult(answer);
    }),
  );
}

export function deletionResult(answer: DeleteAccountResponseMessage): CommandResult {
  const account = accountJson(answer.account);
  const { revokedKeyIds, deletedTeamIds, removedSeatIds, unconfirmedInstances } = answer;
  const pools = removedPoolsJson(answer.removedPools);
  const parts = [
    `${account.id} deleted`,
    ...listedIds('revoked', revokedKeyIds),
    ...listedIds('deleted', deletedTeamIds),
    ...listedIds('removed', removedSeatIds),
    ...removedPoolsText(pools),
  ];
  return confirmedResult({
    json: {
      ...account,
      revoked_key_ids: revokedKeyIds,
      deleted_team_ids: deletedTeamIds,
      removed_seat_ids: removedSeatIds,
      removed_pools: pools,
    },
    text: parts.join('; '),
    done: revokedKeyIds.length === 0 ? '' : '; its keys are refused everywhere from now on',
    unconfirmed: unconfirmedInstances,
    may: `accept keys of ${account.id}`,
  });
}
