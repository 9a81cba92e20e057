import { Alert, Anchor, Badge, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import type { RemoveSeatAnswer, SeatEntry, Team } from '../../../../wire/teams.ts';
import { type Column, EntryTable } from '../../components/entry-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { countOf, formatCount } from '../../format/format-count.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { AddSeatDialog } from './add-seat-dialog.tsx';
import { RemoveSeatDialog } from './remove-seat-dialog.tsx';

interface Removed {
  seat: SeatEntry;
  answer: RemoveSeatAnswer;
}

/** Who is in the team; for a member the own seat alone. */
export function TeamSeatsPanel({ team }: { team: Team }) {
  const [isAdding, setAdding] = useState(false);
  const [toRemove, setToRemove] = useState<SeatEntry | null>(null);
  const [removed, setRemoved] = useState<Removed | null>(null);
  const isOwner = team.role === 'owner';
  const hasOwnSeat = team.seats.some(({ isOwn }) => isOwn);
  return (
    <Panel
      title={isOwner ? 'Seats' : 'Your seat'}
      description={
        isOwner
          ? 'Everybody on a seat creates keys of their own, which the team pays for. Months are those of UTC.'
          : 'Keys that you create on it are paid by the team. Months are those of UTC.'
      }
      actions={
        isOwner && (
          <Button variant="default" size="xs" onClick={() => setAdding(true)}>
            Add seat
          </Button>
        )
      }
    >
      {removed !== null && <RemovedNotice key={removed.seat.id} {...removed} />}
      {team.seats.length === 0 ? (
        <Text size="sm" c="dimmed">
          {isOwner
            ? 'Nobody has a seat yet. Add one by e-mail address: your own too, if you want to call models on the team’s money.'
            : 'Your seat has been removed. Ask the owner of the team.'}
        </Text>
      ) : (
        <EntryTable
          caption="Seats of the team"
          entries={team.seats}
          idOf={({ id }) => id}
          columns={isOwner ? [...seatColumns, actionsColumn(setToRemove)] : seatColumns}
        />
      )}
      {hasOwnSeat && (
        <Text size="sm">
          To use it,{' '}
          <Anchor component={Link} to="/dashboard/api-keys" inherit underline="always">
            create an API key
          </Anchor>{' '}
          and choose “Team {team.name}” under “Billed to”.
        </Text>
      )}
      <AddSeatDialog team={team} opened={isAdding} onClose={() => setAdding(false)} />
      <RemoveSeatDialog
        seat={toRemove}
        onClose={() => setToRemove(null)}
        onRemoved={(seat, answer) => setRemoved({ seat, answer })}
      />
    </Panel>
  );
}

const seatColumns: [Column<SeatEntry>, ...Column<SeatEntry>[]] = [
  {
    id: 'email',
    header: 'E-mail',
    cell: ({ email, isOwn }) => (
      <Group gap="xs">
        <Text span size="sm" fw={600} className="break-anywhere">
          {email}
        </Text>
        {isOwn && <Badge color="gray">You</Badge>}
      </Group>
    ),
  },
  { id: 'keys', header: 'Active keys', align: 'right', cell: ({ activeKeys }) => formatCount(activeKeys) },
  {
    id: 'requests',
    header: 'Requests this month',
    align: 'right',
    cell: ({ requestsThisMonth }) => formatCount(requestsThisMonth),
  },
  {
    id: 'cost',
    header: 'Cost this month',
    align: 'right',
    cell: ({ costThisMonthUsd }) => formatUsd(costThisMonthUsd),
  },
];

function actionsColumn(onRemove: (seat: SeatEntry) => void): Column<SeatEntry> {
  return {
    id: 'actions',
    header: 'Actions',
    align: 'right',
    isActions: true,
    cell: (seat) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <Button
          component={Link}
          to={`/dashboard/usage?seat=${encodeURIComponent(seat.id)}`}
          size="xs"
          variant="subtle"
          aria-label={`Usage of ${seat.email}`}
        >
          Usage
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="red"
          aria-label={`Remove the seat of ${seat.email}`}
          onClick={() => onRemove(seat)}
        >
          Remove
        </Button>
      </Group>
    ),
  };
}

/** Takes the focus, as the button that was pressed is gone. */
function RemovedNotice({ seat, answer }: Removed) {
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => notice.current?.focus(), []);
  const done = `${seat.email} has no seat any more. ${revokedText(answer.revokedKeys)}`;
  return answer.refusedEverywhere ? (
    <Alert ref={notice} tabIndex={-1} role="status" color="green" icon={<IconCheck aria-hidden />}>
      {done}
    </Alert>
  ) : (
    <Alert ref={notice} tabIndex={-1} role="status" color="orange" icon={<IconAlertTriangle aria-hidden />}>
      {done} A part of the gateway could not be reached to confirm it; it refuses the keys as soon as it is
      back.
    </Alert>
  );
}

function revokedText(count: number): string {
  if (count === 0) {
    return 'There was no key on it.';
  }
  return `${countOf(count, 'key')} on it ${count === 1 ? 'is' : 'are'} revoked.`;
}
