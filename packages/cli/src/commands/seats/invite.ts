import type { NewSeatInvitationMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { dashboardLink, linkAdvice } from '../../output/dashboard-link.ts';
import { invitationJson } from '../../output/seat.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

const PAGE = 'invitation';

interface Options {
  team: string;
  email: string;
}

export function addSeatsInvite(seats: Command, run: RunCommand): void {
  seats
    .command('invite')
    .description('offer a seat to an e-mail address, and print the link that takes it, once')
    .requiredOption('--team <team>', 'team id')
    .requiredOption('--email <address>', 'to whom; nobody needs to have an account of it yet')
    .action(({ team, email }: Options) =>
      run(async (client, { dashboardUrl }) => {
        const offered = await client.callOnce(CALL_DEADLINE_MS, 'teams', 'inviteToTeam', {
          teamId: team,
          email,
        });
        return invitationResult(offered, dashboardUrl);
      }),
    );
}

/** @param dashboardUrl undefined when it is not known; the text then has no link */
function invitationResult(
  { invitation, token }: NewSeatInvitationMessage,
  dashboardUrl: string | undefined,
): CommandResult {
  const json = invitationJson(invitation);
  const url = dashboardUrl === undefined ? null : dashboardLink(dashboardUrl, PAGE, token);
  const forWhom = `for ${json.account_email}; whoever has it takes the seat, once, until ${json.expires_at}`;
  return {
    json: { ...json, token, url },
    text: `${url ?? token}\n`,
    note: url === null ? `${forWhom}; ${linkAdvice(PAGE)}` : forWhom,
  };
}
