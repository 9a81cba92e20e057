import { Badge, Button, Group, Text } from '@mantine/core';
import type { MemberEntry, MembersResponse } from '../../../../wire/members.ts';
import { ACTIONS, type Column, EntryTable } from '../../components/entry-table.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import { formatDate } from '../../format/format-time.ts';
import { useMay } from '../../session/use-may.ts';
import { useSession } from '../../session/use-session.ts';
import { ROLE_LABELS } from './role-words.ts';

/** A row: a member or invitation, or the sign-in that owns the account. */
type Row = { email: string } & ({ member: MemberEntry } | { member: null });

interface MemberTableProps extends MembersResponse {
  onChange: (member: MemberEntry) => void;
  onRemove: (member: MemberEntry) => void;
}

/** Lists who works in the account. Only owners change owners. */
export function MemberTable({ ownerEmail, members, onChange, onRemove }: MemberTableProps) {
  const ownEmail = useSession().data?.user?.email;
  const isOwner = useMay('owner');
  const rows: Row[] = [
    { email: ownerEmail, member: null },
    ...members.map((member) => ({ email: member.email, member })),
  ];
  const columns: [Column<Row>, ...Column<Row>[]] = [
    {
      id: 'email',
      header: 'E-mail',
      cell: ({ email, member }) => (
        <Group gap="xs">
          <Text span size="sm" fw={600}>
            <Identifier id={email} />
          </Text>
          {email === ownEmail && <Badge color="gray">You</Badge>}
          {member !== null && <StatusBadge member={member} />}
        </Group>
      ),
    },
    {
      id: 'role',
      header: 'Role',
      cell: ({ member }) => (member === null ? 'Owner of the account' : ROLE_LABELS[member.role]),
    },
    {
      id: 'since',
      header: 'Since',
      cell: ({ member }) => (member === null ? '–' : <Moment ms={member.createdAtMs} />),
    },
    {
      ...ACTIONS,
      cell: ({ member }) =>
        member !== null &&
        (isOwner || member.role !== 'owner') && (
          <Group gap={4} justify="flex-end" wrap="nowrap">
            <Button
              size="xs"
              variant="subtle"
              aria-label={`Change role of ${member.email}`}
              onClick={() => onChange(member)}
            >
              Change role
            </Button>
            <RemovalButton label={`${removal(member)} ${member.email}`} onClick={() => onRemove(member)}>
              {removal(member)}
            </RemovalButton>
          </Group>
        ),
    },
  ];
  return (
    <EntryTable
      caption="Members of the account"
      entries={rows}
      idOf={({ email, member }) => member?.id ?? email}
      columns={columns}
    />
  );
}

function removal({ status }: MemberEntry): string {
  return status === 'invited' ? 'Withdraw' : 'Remove';
}

function StatusBadge({ member: { expiresAtMs, status, stoppedBy } }: { member: MemberEntry }) {
  if (status === 'invited') {
    return (
      <Badge color="orange">
        {expiresAtMs === null ? 'Invited' : `Invited until ${formatDate(expiresAtMs)}`}
      </Badge>
    );
  }
  if (status === 'added') return <Badge color="gray">Not signed in yet</Badge>;
  if (status === 'stopped')
    return <Badge color="red">{`Stopped${stoppedBy === null ? '' : ` by ${stoppedBy}`}`}</Badge>;
  return null;
}
