import type { MemberMessage } from '@model-gateway/contracts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS } from '../run-command.ts';
import { type ApplyRun, applyChange, applyDifferences, compareField } from './apply-run.ts';
import type { WantedMember } from './gateway-file.ts';

/** @param account its id; undefined in a plan that creates it */
export async function applyMembers(
  run: ApplyRun,
  accountEmail: string,
  account: string | undefined,
  wanted: readonly WantedMember[] | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const nameOf = (email: string) => `member ${email} of ${accountEmail}`;
  const members = account === undefined ? [] : await membersOf(run, account);
  for (const { email, role } of wanted) {
    const member = members.find((each) => each.email.toLowerCase() === email);
    if (member === undefined) {
      await applyChange(run, { action: 'create', object: nameOf(email) }, () =>
        run.client.callOnce(CALL_DEADLINE_MS, 'members', 'addMember', {
          account: account ?? '',
          email,
          role,
        }),
      );
      continue;
    }
    const request = { account: member.accountId, member: member.id, role };
    await applyDifferences(run, nameOf(email), compareField('role', member.role, role), () =>
      run.client.call(CALL_DEADLINE_MS, 'members', 'changeMemberRole', request),
    );
  }
  if (!run.prunes) return;
  for (const { accountId, email, id } of members) {
    if (wanted.some((one) => one.email === email.toLowerCase())) continue;
    await applyChange(run, { action: 'remove', object: nameOf(email) }, () =>
      run.client.call(CALL_DEADLINE_MS, 'members', 'removeMember', { account: accountId, member: id }),
    );
  }
}

async function membersOf({ client }: ApplyRun, account: string): Promise<MemberMessage[]> {
  const pages = readAllPages(
    (place) => client.call(CALL_DEADLINE_MS, 'members', 'listMembers', { account, ...place }),
    ({ members }) => members,
  );
  return (await Array.fromAsync(pages)).flat();
}
