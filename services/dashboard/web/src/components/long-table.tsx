import { EntryTable, type EntryTableProps } from './entry-table.tsx';
import { useVirtualRows } from './use-virtual-rows.ts';

/** Shows a table of any length: only the rows of a long list that are on the screen are rendered. */
export function LongTable<Entry>(props: Omit<EntryTableProps<Entry>, 'rows'>) {
  const { frame, rows } = useVirtualRows(props.entries.length);
  return (
    <div ref={frame}>
      <EntryTable {...props} rows={rows} />
    </div>
  );
}
