import type { ResetPasswordResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { dashboardLink, linkAdvice } from '../../output/dashboard-link.ts';
import { isoTimestamp } from '../../output/timestamp.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

const PAGE = 'reset-password';

interface Options {
  account?: string;
  /** Undefined when neither option was given. */
  revokeKeys?: boolean;
}

export function addAccountsResetPassword(accounts: Command, run: RunCommand): void {
  const reset = addAccountArgument(
    accounts.command('reset-password'),
    'nobody needs to have signed in to it yet',
  )
    .description(
      'print a link that sets a new password of an account for the dashboard, once; ' +
        'ends its sessions, its password, and its keys unless told otherwise',
    )
    .option(
      '--revoke-keys',
      'revoke its keys (what happens anyway if somebody has ever signed in to the account)',
    )
    .option('--no-revoke-keys', 'let its keys go on working')
    .action((argument: string | undefined, { account: option, revokeKeys }: Options) => {
      const account = givenAccount(reset, argument, option);
      return run(async (client, { dashboardUrl }) => {
        const ask = { account, ...(revokeKeys === undefined ? {} : { revokeKeys }) };
        const answer = await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'resetPassword', ask);
        return resetPasswordResult(answer, dashboardUrl);
      });
    });
}

/** @param dashboardUrl undefined when it is not known; the text then has no link */
function resetPasswordResult(
  { account, token, expiresAtMs, revokedKeyIds, unconfirmedInstances }: ResetPasswordResponseMessage,
  dashboardUrl: string | undefined,
): CommandResult {
  if (account === null) throw new Error('the control plane answered without an account');
  const url = dashboardUrl === undefined ? null : dashboardLink(dashboardUrl, PAGE, token);
  const expiresAt = isoTimestamp(expiresAtMs);
  const notes = [
    `for ${account.email}; works once, until ${expiresAt}`,
    ...(url === null ? [linkAdvice(PAGE)] : []),
    ...(revokedKeyIds.length === 0 ? [] : [`revoked ${revokedKeyIds.join(', ')}`]),
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
