import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type {
  AddSeatResponse,
  InvitationEntry,
  RemoveSeatResponse,
  SeatEntry,
  Team,
} from '../../../../wire/teams.ts';
import { postJson } from '../../api/client.ts';
import { ACTIONS, type Column, EntryTable } from '../../components/entry-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ResultAlert } from '../../components/focused-alert.tsx';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { InvitedNotice } from '../../components/invited-notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { countOf, formatCount } from '../../format/format-count.ts';
import { formatDate } from '../../format/format-time.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { AddSeatDialog } from './add-seat-dialog.tsx';
import { RemoveSeatDialog } from './remove-seat-dialog.tsx';
import { useManages } from './use-manages.ts';
import { useTeamChange } from './use-team-change.ts';

interface Removed {
  seat: SeatEntry;
  response: RemoveSeatResponse;
}

/** A row of the table: a seat or an invitation. */
type Row = { id: string; email: string } & (
  | { seat: SeatEntry; invitation: null }
  | { seat: null; invitation: InvitationEntry }
);

/** Shows the seats and open invitations of a team; to members only their own seat. */
export function TeamSeatsPanel({ team }: { team: Team }) {
  const [isAdding, setAdding] = useState(false);
  const [toRemove, setToRemove] = useState<SeatEntry | null>(null);
  const [removed, setRemoved] = useState<Removed | null>(null);
  const [invited, setInvited] = useState<AddSeatResponse['invitation']>(null);
  const withdraw = useTeamChange(async ({ id }: InvitationEntry) => {
    await postJson<undefined>(`/api/invitations/${encodeURIComponent(id)}/withdraw`);
    // The link of the invitation no longer works.
    setInvited((shown) => (shown?.id === id ? null : shown));
  });
  const manages = useManages(team);
  const ownSeat = team.seats.find(({ isOwn }) => isOwn);
  const rows = rowsOf(team);
  const actions = actionsColumn({
    teamId: team.id,
    onRemove: setToRemove,
    onWithdraw: withdraw.run,
    isWithdrawing: withdraw.isPending,
  });
  return (
    <Panel
      title={manages ? 'Seats' : 'Your seat'}
      description={
        manages
          ? 'Everybody with a seat creates their own keys, and the team pays. Months are UTC months.'
          : 'The team pays for the keys that you create on it. Months are UTC months.'
      }
      actions={
        manages && (
          <Button variant="default" size="xs" onClick={() => setAdding(true)}>
            Add seat
          </Button>
        )
      }
    >
      {removed !== null && <RemovedNotice key={removed.seat.id} {...removed} />}
      {invited !== null && (
        <InvitedNotice
          key={invited.id}
          invitation={invited}
          gives="take the seat"
          onDone={() => setInvited(null)}
        />
      )}
      <ErrorNotice error={withdraw.error} />
      {rows.length === 0 ? (
        <Hint>
          {manages
            ? 'Nobody has a seat yet. Add one by e-mail address, also for yourself if the team should pay for ' +
              'your requests.'
            : noSeat(team.role)}
        </Hint>
      ) : (
        <EntryTable
          caption="Seats of the team"
          entries={rows}
          idOf={({ id }) => id}
          columns={manages ? [...seatColumns, actions] : seatColumns}
        />
      )}
      {ownSeat !== undefined && (
        <Text size="sm">
          To use it, <TextLink to="/dashboard/api-keys">create an API key</TextLink> and choose “Team{' '}
          {team.name}” under “Billed to”. The{' '}
          <TextLink to={seatPath(team.id, ownSeat.id)}>rules of your seat</TextLink> apply to all its keys.
        </Text>
      )}
      <AddSeatDialog
        team={team}
        opened={isAdding}
        onClose={() => setAdding(false)}
        onAdded={({ invitation }) => setInvited(invitation)}
      />
      <RemoveSeatDialog
        seat={toRemove}
        onClose={() => setToRemove(null)}
        onRemoved={(seat, response) => setRemoved({ seat, response })}
      />
    </Panel>
  );
}

function noSeat(role: Team['role']): string {
  return role === 'owner'
    ? 'This account has no seat in the team. Its owners and admins see the seats of others.'
    : 'Your seat has been removed. Ask the owner of the team.';
}

function seatPath(teamId: string, seatId: string): string {
  return `/dashboard/teams/${encodeURIComponent(teamId)}/seats/${encodeURIComponent(seatId)}`;
}

function rowsOf({ seats, invitations }: Team): Row[] {
  return [
    ...seats.map((seat) => ({ id: seat.id, email: seat.email, seat, invitation: null })),
    ...invitations.map((invitation) => {
      const { id, email } = invitation;
      return { id, email, seat: null, invitation };
    }),
  ];
}

const seatColumns: [Column<Row>, ...Column<Row>[]] = [
  {
    id: 'email',
    header: 'E-mail',
    cell: ({ email, seat, invitation }) => (
      <Group gap="xs">
        <Text span size="sm" fw={600}>
          <Identifier id={email} />
        </Text>
        {seat?.isOwn && <Badge color="gray">You</Badge>}
        {invitation !== null && (
          <Badge color="orange">Invited until {formatDate(invitation.expiresAtMs)}</Badge>
        )}
      </Group>
    ),
  },
  {
    id: 'keys',
    header: 'Active keys',
    align: 'right',
    cell: ({ seat }) => (seat === null ? '–' : formatCount(seat.activeKeys)),
  },
  {
    id: 'requests',
    header: 'Requests this month',
    align: 'right',
    cell: ({ seat }) => (seat === null ? '–' : formatCount(seat.requestsThisMonth)),
  },
  {
    id: 'cost',
    header: 'Cost this month',
    align: 'right',
    cell: ({ seat }) => (seat === null ? '–' : formatUsd(seat.costThisMonthUsd)),
  },
];

interface Actions {
  teamId: string;
  onRemove: (seat: SeatEntry) => void;
  onWithdraw: (invitation: InvitationEntry) => void;
  isWithdrawing: boolean;
}

function actionsColumn({ teamId, onRemove, onWithdraw, isWithdrawing }: Actions): Column<Row> {
  return {
    ...ACTIONS,
    cell: ({ email, seat, invitation }) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        {seat !== null && (
          <>
            <Button
              component={Link}
              to={seatPath(teamId, seat.id)}
              size="xs"
              variant="subtle"
              aria-label={`Budgets and rules of ${email}`}
            >
              Rules
            </Button>
            <Button
              component={Link}
              to={`/dashboard/usage?seat=${encodeURIComponent(seat.id)}`}
              size="xs"
              variant="subtle"
              aria-label={`Usage of ${email}`}
            >
              Usage
            </Button>
            <RemovalButton label={`Remove the seat of ${email}`} onClick={() => onRemove(seat)}>
              Remove
            </RemovalButton>
          </>
        )}
        {invitation !== null && (
          <RemovalButton
            disabled={isWithdrawing}
            label={`Withdraw the invitation of ${email}`}
            onClick={() => onWithdraw(invitation)}
          >
            Withdraw
          </RemovalButton>
        )}
      </Group>
    ),
  };
}

/** Confirms a removal. */
function RemovedNotice({ seat, response: { refusedEverywhere, revokedKeys } }: Removed) {
  return (
    <ResultAlert isCertain={refusedEverywhere}>
      {seat.email} has no seat any more. {revokedText(revokedKeys)}
      {!refusedEverywhere &&
        ' A part of the gateway could not be reached to confirm it. That part will refuse the keys when it is back.'}
    </ResultAlert>
  );
}

function revokedText(count: number): string {
  if (count === 0) return 'It had no keys.';
  return `${countOf(count, 'key')} on it ${count === 1 ? 'is' : 'are'} revoked.`;
}
