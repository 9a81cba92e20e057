import { Badge, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Member } from '../../../../wire/management.ts';
import type { AccountRole } from '../../../../wire/members.ts';
import { changeManagement, readManagement } from '../../api/management.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ACTIONS } from '../../components/entry-table.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { ManagedTable } from '../../components/managed-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useForm } from '../../components/use-form.ts';
import { ROLE_LABELS, roleChoices } from '../../pages/members/role-words.ts';
import { emailProblem } from '../../pages/sign-in/credential-problems.ts';
import { useMayChange } from '../../session/use-may-change.ts';

/** Lists the members and invitations of an account; invites, changes roles and removes. */
export function MembersPanel({ accountId }: { accountId: string }) {
  const mayChange = useMayChange();
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<string>();
  const [toChange, setToChange] = useState<Member>();
  const [toRemove, setToRemove] = useState<Member | null>(null);
  const remove = useAction(async ({ id }: Member) => {
    await changeManagement('removeMember', { path: { id: accountId, member: id } });
    await refreshManagement();
    setToRemove(null);
  });
  const actions = {
    ...ACTIONS,
    cell: (member: Member) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <Button
          size="xs"
          variant="subtle"
          aria-label={`Change the role of ${member.email}`}
          onClick={() => setToChange(member)}
        >
          Role
        </Button>
        <RemovalButton label={`Remove ${member.email}`} onClick={() => setToRemove(member)}>
          Remove
        </RemovalButton>
      </Group>
    ),
  };
  return (
    <Panel
      title="Members"
      description="Besides the owner, who signs in with the address of the account."
      actions={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => setInviting(true)}>
            Invite member
          </Button>
        )
      }
    >
      <ManagedTable
        operation="listMembers"
        request={{ path: { id: accountId } }}
        caption="Members"
        idOf={({ id }) => id}
        columns={[
          {
            id: 'email',
            header: 'E-mail address',
            width: '40%',
            cell: ({ email }) => <Identifier id={email} />,
          },
          { id: 'role', header: 'Role', cell: ({ role }) => ROLE_LABELS[role] },
          { id: 'status', header: 'Status', cell: ({ status }) => <Badge color="gray">{status}</Badge> },
          ...(mayChange ? [actions] : []),
        ]}
        empty={<Hint>The account has no other members.</Hint>}
      />
      {isInviting && (
        <InviteDialog
          accountId={accountId}
          onClose={() => setInviting(false)}
          onInvited={(token) => {
            setInviting(false);
            setLink(token && `${window.location.origin}/membership#token=${encodeURIComponent(token)}`);
          }}
        />
      )}
      {link !== undefined && (
        <SecretDialog
          title="Invitation"
          advice="Send this link to the invited person. It works once."
          secret={link}
          onClose={() => setLink(undefined)}
        />
      )}
      {toChange !== undefined && <RoleDialog member={toChange} onClose={() => setToChange(undefined)} />}
      <ConfirmDialog
        subject={toRemove}
        title="Remove this member?"
        confirmLabel="Remove member"
        action={remove}
        onClose={() => setToRemove(null)}
      >
        {({ email }) => `${email} loses access at once, and the keys that this person made are revoked.`}
      </ConfirmDialog>
    </Panel>
  );
}

interface InviteDialogProps {
  accountId: string;
  onClose: () => void;
  onInvited: (token: string | undefined) => void;
}

function InviteDialog({ accountId, onClose, onInvited }: InviteDialogProps) {
  const form = useForm({
    fields: { email: '', role: 'developer' },
    check: ({ email }) => ({ email: emailProblem(email) }),
    send: async ({ email, role }) => {
      const body = { email: email.trim(), role: roleOf(role), invite: true };
      const { body: made } = await changeManagement('addMember', { path: { id: accountId }, body });
      await refreshManagement();
      onInvited(made.invitation_token);
    },
  });
  return (
    <FormDialog opened title="Invite a member" submitLabel="Invite" form={form} onClose={onClose}>
      <TextInput
        label="E-mail address"
        type="email"
        autoComplete="off"
        data-autofocus
        {...form.field('email')}
      />
      <NativeSelect label="Role" data={roleChoices(true)} {...form.field('role')} />
    </FormDialog>
  );
}

function RoleDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const form = useForm({
    fields: { role: member.role },
    check: () => ({}),
    send: async ({ role }) => {
      const path = { id: member.account_id, member: member.id };
      const { etag } = await readManagement('getMember', { path });
      await changeManagement('changeMember', { path, body: { role: roleOf(role) } }, { etag });
      await refreshManagement();
      onClose();
    },
  });
  return (
    <FormDialog opened title={`Role of ${member.email}`} submitLabel="Save" form={form} onClose={onClose}>
      <NativeSelect label="Role" data={roleChoices(true)} data-autofocus {...form.field('role')} />
    </FormDialog>
  );
}

function roleOf(value: string): AccountRole {
  const roles: readonly AccountRole[] = ['viewer', 'developer', 'admin', 'owner'];
  return roles.find((role) => role === value) ?? 'viewer';
}
