import { Badge, Text } from '@mantine/core';
import type { ResponseOf } from '../../../../wire/management.ts';
import { type Column, EntryTable } from '../../components/entry-table.tsx';
import { Hint } from '../../components/hint.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { countOf } from '../../format/format-count.ts';

export type Difference = ResponseOf<'planCatalog'>['differences'][number];

const COLORS = { added: 'green', changed: 'blue', retired: 'orange' } as const;
/** More rows make the page slow. */
const MAX_SHOWN = 200;

/** Shows what one catalog has and another has not, field by field. */
export function DifferenceTable({ differences }: { differences: readonly Difference[] }) {
  if (differences.length === 0) return <Hint>There is no difference.</Hint>;
  return (
    <>
      <EntryTable
        caption="Differences"
        entries={differences.slice(0, MAX_SHOWN)}
        idOf={({ id, object }) => `${object} ${id}`}
        columns={columns}
      />
      {differences.length > MAX_SHOWN && (
        <Hint>And {countOf(differences.length - MAX_SHOWN, 'more entry', 'more entries')}.</Hint>
      )}
    </>
  );
}

const columns: [Column<Difference>, ...Column<Difference>[]] = [
  {
    id: 'entry',
    header: 'Entry',
    cell: ({ id, object }) => <NameCell detail={object}>{id}</NameCell>,
  },
  {
    id: 'change',
    header: 'Change',
    cell: ({ change }) => (
      <Badge color={COLORS[change]} variant="light">
        {change}
      </Badge>
    ),
  },
  {
    id: 'fields',
    header: 'Old → new',
    cell: ({ fields }) =>
      fields.map(({ after, before, path }) => (
        <Text key={path} size="sm" className="break-anywhere">
          <Text span c="dimmed" inherit>
            {path}:
          </Text>{' '}
          {before ?? 'none'} → {after ?? 'none'}
        </Text>
      )),
    isEmpty: ({ fields }) => fields.length === 0,
  },
];
