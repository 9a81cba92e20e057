import { Button, Group, Stack } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { InviteMemberResponse, MemberEntry, RemoveMemberResponse } from '../../../../wire/members.ts';
import { ResultAlert } from '../../components/focused-alert.tsx';
import { InvitedNotice } from '../../components/invited-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { countOf } from '../../format/format-count.ts';
import { ChangeRoleDialog } from './change-role-dialog.tsx';
import { InviteMemberDialog } from './invite-member-dialog.tsx';
import { MemberTable } from './member-table.tsx';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';
import { useMembers } from './use-members.ts';

interface Removed {
  member: MemberEntry;
  response: RemoveMemberResponse;
}

export function MembersPage() {
  const members = useMembers();
  const [isInviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<InviteMemberResponse | null>(null);
  const [toChange, setToChange] = useState<MemberEntry | null>(null);
  const [toRemove, setToRemove] = useState<MemberEntry | null>(null);
  const [removed, setRemoved] = useState<Removed | null>(null);
  return (
    <>
      <PageHeader
        title="Members"
        description="Who works in this account, and what they may do. The account pays for their requests."
        actions={
          <Button leftSection={<IconUserPlus size={18} aria-hidden />} onClick={() => setInviting(true)}>
            Invite
          </Button>
        }
      />
      <Stack gap="lg">
        {removed !== null && <RemovedNotice key={removed.member.id} {...removed} />}
        {invited !== null && (
          <InvitedNotice
            key={invited.link}
            invitation={{ ...invited.member, ...invited, expiresAtMs: invited.member.expiresAtMs ?? 0 }}
            gives="join the account"
            onDone={() => setInvited(null)}
          />
        )}
        <QueryState query={members} loading="Loading the members" />
        {members.data !== undefined && (
          <Panel title="Members and invitations">
            <MemberTable {...members.data} onChange={setToChange} onRemove={setToRemove} />
          </Panel>
        )}
      </Stack>
      <Group>
        <InviteMemberDialog opened={isInviting} onClose={() => setInviting(false)} onInvited={setInvited} />
        <ChangeRoleDialog key={toChange?.id} member={toChange} onClose={() => setToChange(null)} />
        <RemoveMemberDialog
          member={toRemove}
          onClose={() => setToRemove(null)}
          onRemoved={(member, response) => {
            setInvited((shown) => (shown?.member.id === member.id ? null : shown));
            setRemoved({ member, response });
          }}
        />
      </Group>
    </>
  );
}

function RemovedNotice({ member, response: { refusedEverywhere, revokedKeys } }: Removed) {
  const isInvitation = member.status === 'invited';
  return (
    <ResultAlert isCertain={refusedEverywhere}>
      {isInvitation
        ? `The invitation of ${member.email} is withdrawn.`
        : `${member.email} is no longer a member.`}
      {revokedKeys > 0 && ` ${countOf(revokedKeys, 'key')} revoked.`}
      {!refusedEverywhere &&
        ' A part of the gateway could not be reached to confirm it. That part will refuse the keys when it is back.'}
    </ResultAlert>
  );
}
