import type { NewMemberInvitationMessage, RemoveMemberResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, onAccount } from '../account-argument.ts';
import { dashboardLink, linkAdvice } from '../output/dashboard-link.ts';
import { memberJson, memberTable } from '../output/member-table.ts';
import { confirmedResult, refusedEverywhere } from '../output/unconfirmed-note.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';

const MEMBERSHIP_PAGE = 'membership';
const ROLE_HELP = 'owner, admin, developer or viewer';
const MEMBER_HELP = 'member id or e-mail address';

interface Options {
  account?: string;
  email: string;
  member: string;
  role: string;
  name?: string;
}

export function addMembers(program: Command, run: RunCommand): void {
  const members = program.command('members').description('manage the members of accounts and their roles');
  addMembersAdd(members, run);
  addMembersChange(members, run);
  addMembersInvite(members, run);
  addMembersList(members, run);
  addMembersRemove(members, run);
}

function addMembersAdd(members: Command, run: RunCommand): void {
  const add = addAccountArgument(members.command('add'))
    .description('make a person a member of an account, without an invitation')
    .requiredOption('--email <address>', 'whoever proves this address is the member')
    .requiredOption('--role <role>', ROLE_HELP)
    .option('--name <name>', "the person's name");
  onAccount(add, (account, { email, name = '', role }: Options) =>
    run(async (client) => {
      const request = { account, email, name, role };
      const added = memberJson(await client.callOnce(CALL_DEADLINE_MS, 'members', 'addMember', request));
      return { json: added, text: memberTable([added]) };
    }),
  );
}

function addMembersChange(members: Command, run: RunCommand): void {
  const change = addAccountArgument(members.command('change'))
    .description('change the role of a member or of an invitation, from the next call on')
    .requiredOption('--member <member>', MEMBER_HELP)
    .requiredOption('--role <role>', ROLE_HELP);
  onAccount(change, (account, { member, role }: Options) =>
    run(async (client) => {
      const request = { account, member, role };
      const changed = memberJson(await client.call(CALL_DEADLINE_MS, 'members', 'changeMemberRole', request));
      return { json: changed, text: memberTable([changed]) };
    }),
  );
}

function addMembersInvite(members: Command, run: RunCommand): void {
  const invite = addAccountArgument(members.command('invite'))
    .description('invite an e-mail address to an account, and print a link that works once')
    .requiredOption('--email <address>', 'whom to invite')
    .requiredOption('--role <role>', ROLE_HELP);
  onAccount(invite, (account, { email, role }: Options) =>
    run(async (client, { dashboardUrl }) => {
      const request = { account, email, role };
      const invited = await client.callOnce(CALL_DEADLINE_MS, 'members', 'inviteMember', request);
      return invitationResult(invited, dashboardUrl);
    }),
  );
}

/** @param dashboardUrl undefined: unknown, so the text has the token without a link */
function invitationResult(
  { member, token }: NewMemberInvitationMessage,
  dashboardUrl: string | undefined,
): CommandResult {
  const json = memberJson(member);
  const url = dashboardUrl === undefined ? null : dashboardLink(dashboardUrl, MEMBERSHIP_PAGE, token);
  const forWhom = `for ${json.email}; works once, for whoever has it, until ${json.expires_at}`;
  return {
    json: { ...json, token, url },
    text: `${url ?? token}\n`,
    note: url === null ? `${forWhom}; ${linkAdvice(MEMBERSHIP_PAGE)}` : forWhom,
  };
}

function addMembersList(members: Command, run: RunCommand): void {
  const list = addAccountArgument(members.command('list')).description(
    'list the members of an account and its open invitations, newest first',
  );
  onAccount(list, (account) =>
    run(async (client) => ({
      pages: readAllPages(
        (place) => client.call(CALL_DEADLINE_MS, 'members', 'listMembers', { account, ...place }),
        ({ members: listed }) => listed.map(memberJson),
      ),
      table: memberTable,
    })),
  );
}

function addMembersRemove(members: Command, run: RunCommand): void {
  const remove = addAccountArgument(members.command('remove'))
    .description(
      'remove a member, with the keys and open invitations that it made; or withdraw an invitation',
    )
    .requiredOption('--member <member>', MEMBER_HELP);
  onAccount(remove, (account, { member }: Options) =>
    run(async (client) =>
      removalResult(await client.callOnce(CALL_DEADLINE_MS, 'members', 'removeMember', { account, member })),
    ),
  );
}

function removalResult({
  member,
  revokedKeyIds,
  unconfirmedInstances,
}: RemoveMemberResponseMessage): CommandResult {
  const json = memberJson(member);
  const keys = revokedKeyIds.length === 0 ? 'it had no active keys' : `revoked ${revokedKeyIds.join(', ')}`;
  return confirmedResult({
    json: { ...json, status: 'removed', revoked_key_ids: revokedKeyIds },
    text: `${json.email} removed; ${keys}`,
    done: refusedEverywhere(revokedKeyIds),
    unconfirmed: unconfirmedInstances,
    may: `accept keys of ${json.email}`,
  });
}
