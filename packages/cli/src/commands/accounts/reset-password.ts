import type { ResetPasswordResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { isoTimestamp } from '../../output/timestamp.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

export function addAccountsResetPassword(accounts: Command, run: RunCommand): void {
  accounts
    .command('reset-password')
    .description('print what lets the holder of an account set a new password for the dashboard, once')
    .argument('<account>', 'id or e-mail address; nobody needs to have signed in to it yet')
    .action((account: string) =>
      run(async (client, { dashboardUrl }) => {
        const reset = await client.callOnce<ResetPasswordResponseMessage>(
          CALL_DEADLINE_MS,
          (stubs, ...rest) => stubs.accounts.resetPassword({ account }, ...rest),
        );
        return resetPasswordResult(reset, dashboardUrl);
      }),
    );
}

/** @param dashboardUrl undefined: not known, so that there is no link */
function resetPasswordResult(
  { account, token, expiresAtMs }: ResetPasswordResponseMessage,
  dashboardUrl: string | undefined,
): CommandResult {
  if (account === null) throw new Error('the control plane answered without an account');
  const url = linkOf(dashboardUrl ?? '', token);
  const expiresAt = isoTimestamp(expiresAtMs);
  const forWhom = `for ${account.email}; works once, until ${expiresAt}`;
  const where = `open ${linkOf("<the dashboard's address>", '<this token>')}, or set PUBLIC_URL to get the whole link`;
  const isLink = dashboardUrl !== undefined;
  return {
    json: {
      account_id: account.id,
      email: account.email,
      token,
      url: isLink ? url : null,
      expires_at: expiresAt,
    },
    text: `${isLink ? url : token}\n`,
    note: isLink ? forWhom : `${forWhom}; ${where}`,
  };
}

/** The token stands behind the #, which browsers send to nobody. */
function linkOf(dashboardUrl: string, token: string): string {
  return `${dashboardUrl}/reset-password#token=${token}`;
}
