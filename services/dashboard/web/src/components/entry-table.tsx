import { Group, Paper, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Fragment, type ReactNode } from 'react';
import classes from './entry-table.module.css';
import { ScrollFrame } from './scroll-frame.tsx';

export interface Column<Entry> {
  id: string;
  header: string;
  align?: 'right';
  /** Share of the table's width, such as `20%`: tables below each other then have equal columns. */
  width?: string;
  cell: (entry: Entry) => ReactNode;
  /** True if the header may wrap in a narrow table. */
  mayWrap?: boolean;
  /** True if a card leaves the cell and its header out. */
  isEmpty?: (entry: Entry) => boolean;
  /** The column has buttons: its header is hidden, and they go to the end of a card. */
  isActions?: boolean;
}

/** Rows of a long list that are rendered, and the space of the others. */
export interface RowWindow {
  first: number;
  /** Index after the last. */
  end: number;
  /** Pixels. */
  before: number;
  after: number;
  /** Takes the height of a row; its element needs `data-index`. */
  measure: (row: HTMLElement | null) => void;
}

/** Begins the column of buttons. */
export const ACTIONS = { id: 'actions', header: 'Actions', align: 'right', isActions: true } as const;

export interface EntryTableProps<Entry> {
  /** Names the list for screen readers. */
  caption: string;
  entries: readonly Entry[];
  idOf: (entry: Entry) => string;
  /** The first column is the row header and the title of the card. */
  columns: readonly [Column<Entry>, ...Column<Entry>[]];
  /** Shows cards in windows up to this width. */
  cardsBelow?: string;
  isDimmed?: (entry: Entry) => boolean;
  /** Renders only these rows; left out: all. */
  rows?: RowWindow | undefined;
  /** True if the table is in no panel, so that it needs a frame. Cards have their own. */
  isFramed?: boolean;
}

/** Shows a table, or on a narrow screen a list of cards. */
export function EntryTable<Entry>(props: EntryTableProps<Entry>) {
  const query = `(max-width: ${props.cardsBelow ?? '48em'})`;
  const isNarrow = useMediaQuery(query, undefined, { getInitialValueInEffect: false });
  if (isNarrow) return <Cards {...props} />;
  return (
    <Paper {...(props.isFramed && { withBorder: true, px: 'lg', py: 4 })}>
      <ScrollFrame
        label={props.caption}
        className={`${classes.outdented} ${props.columns.length > 7 ? classes.dense : ''}`}
      >
        <Rows {...props} />
      </ScrollFrame>
    </Paper>
  );
}

function Rows<Entry>({ caption, entries, idOf, columns, isDimmed, rows }: EntryTableProps<Entry>) {
  const [first, ...rest] = columns;
  return (
    <Table
      verticalSpacing="xs"
      horizontalSpacing={8}
      aria-label={caption}
      {...(rows !== undefined && { 'aria-rowcount': entries.length + 1 })}
    >
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ id, header, align, isActions, mayWrap, width }) => (
            <Table.Th key={id} ta={align} scope="col" {...(width !== undefined && { w: width })}>
              {isActions ? (
                <VisuallyHidden>{header}</VisuallyHidden>
              ) : (
                <Text span size="xs" fw={600} c="dimmed" className={mayWrap ? undefined : 'no-wrap'}>
                  {header}
                </Text>
              )}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        <Space rows={rows} height={rows?.before} />
        {entries.slice(rows?.first ?? 0, rows?.end).map((entry, place) => (
          <Table.Tr
            key={idOf(entry)}
            {...(isDimmed?.(entry) && { c: 'dimmed' })}
            {...(rows !== undefined && placeOf(rows, place, 2))}
          >
            <Table.Th scope="row" fw={400} ta={first.align}>
              {first.cell(entry)}
            </Table.Th>
            {rest.map(({ id, align, cell }) => (
              <Table.Td key={id} ta={align} className={align === 'right' ? classes.figures : undefined}>
                {cell(entry)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
        <Space rows={rows} height={rows?.after} />
      </Table.Tbody>
    </Table>
  );
}

/** Takes the place of rows that are not rendered. */
function Space({ rows, height }: { rows: RowWindow | undefined; height: number | undefined }) {
  if (rows === undefined || height === undefined || height <= 0) return null;
  return (
    <tr aria-hidden>
      <td style={{ height, padding: 0 }} />
    </tr>
  );
}

/** Returns the properties of a row of a long list. @param firstRow number of the first entry's row */
function placeOf({ first, measure }: RowWindow, place: number, firstRow: number) {
  const index = first + place;
  return { 'data-index': index, 'aria-rowindex': index + firstRow, ref: measure };
}

function Cards<Entry>({ caption, entries, idOf, columns, isDimmed, rows }: EntryTableProps<Entry>) {
  const [first, ...rest] = columns;
  const figures = rest.filter(({ isActions }) => !isActions);
  const actions = rest.filter(({ isActions }) => isActions);
  return (
    <ul aria-label={caption} className={`plain-list ${classes.list}`}>
      {rows !== undefined && <li aria-hidden style={{ height: rows.before }} />}
      {entries.slice(rows?.first ?? 0, rows?.end).map((entry, place) => (
        <Paper
          component="li"
          key={idOf(entry)}
          withBorder
          radius="md"
          p="sm"
          {...(isDimmed?.(entry) && { c: 'dimmed' })}
          {...(rows !== undefined && { 'data-index': rows.first + place, ref: rows.measure })}
        >
          <Stack gap={6}>
            {first.cell(entry)}
            <dl className={classes.facts}>
              {figures
                .filter(({ isEmpty }) => !isEmpty?.(entry))
                .map(({ id, header, cell }) => (
                  <div key={id} className={classes.fact}>
                    <Text component="dt" size="xs" c="dimmed">
                      {header}
                    </Text>
                    <Text component="dd" size="sm" className={classes.figures} m={0}>
                      {cell(entry)}
                    </Text>
                  </div>
                ))}
            </dl>
            {actions.length > 0 && (
              <Group justify="flex-end">
                {actions.map(({ id, cell }) => (
                  <Fragment key={id}>{cell(entry)}</Fragment>
                ))}
              </Group>
            )}
          </Stack>
        </Paper>
      ))}
      {rows !== undefined && <li aria-hidden style={{ height: rows.after }} />}
    </ul>
  );
}
