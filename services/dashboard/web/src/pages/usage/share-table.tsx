import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { UsageSums } from '../../../../wire/usage.ts';
import { EntryTable } from '../../components/entry-table.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { formatCount, formatShare } from '../../format/format-count.ts';
import { formatUsd } from '../../format/format-usd.ts';
import { formatUnits } from './format-units.ts';

export interface ShareRow {
  id: string;
  name: string;
  /** The name is an id, which stays on one line. */
  isId?: boolean;
  detail?: string;
  sums: UsageSums;
}

interface ShareTableProps {
  caption: string;
  header: string;
  rows: readonly ShareRow[];
  totals: UsageSums;
}

const SHOWN_AT_FIRST = 6;

/** Shows each row's share of the spend, or of the requests if nothing was spent. */
export function ShareTable({ caption, header, rows, totals }: ShareTableProps) {
  const [isWhole, setWhole] = useState(false);
  const isFree = Number(totals.costUsd) === 0;
  const shareOf = ({ costUsd, requests }: UsageSums) =>
    isFree ? divide(requests, totals.requests) : divide(Number(costUsd), Number(totals.costUsd));
  return (
    <Stack gap="sm">
      <EntryTable
        caption={caption}
        entries={isWhole ? rows : rows.slice(0, SHOWN_AT_FIRST)}
        idOf={({ id }) => id}
        columns={[
          { id: 'name', header, cell: (row) => <Name row={row} share={shareOf(row.sums)} /> },
          {
            id: 'requests',
            header: 'Requests',
            align: 'right',
            cell: ({ sums }) => formatCount(sums.requests),
          },
          { id: 'cost', header: 'Cost', align: 'right', cell: ({ sums }) => formatUsd(sums.costUsd) },
          {
            id: 'share',
            header: isFree ? 'Of requests' : 'Of spend',
            align: 'right',
            cell: ({ sums }) => formatShare(shareOf(sums)),
          },
        ]}
      />
      {rows.length > SHOWN_AT_FIRST && (
        <Button variant="subtle" size="xs" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? 'Show fewer' : `Show all ${rows.length}`}
        </Button>
      )}
    </Stack>
  );
}

function Name({ row, share }: { row: ShareRow; share: number }): ReactNode {
  const units = formatUnits(row.sums);
  return (
    <Stack gap={4}>
      <Group gap={6}>
        <Text span size="sm" fw={500}>
          {row.isId ? <Identifier id={row.name} /> : <span className="cell-name">{row.name}</span>}
        </Text>
      </Group>
      <Progress value={share * 100} size={6} radius="xl" aria-hidden />
      <Text span size="xs" c="dimmed">
        {[row.detail, units].filter(Boolean).join(' · ')}
      </Text>
    </Stack>
  );
}

function divide(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
