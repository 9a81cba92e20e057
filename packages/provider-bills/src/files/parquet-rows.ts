import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { BillError } from '../bill-error.ts';
import { cellsOf, columnName, Row } from '../row.ts';

/**
 * Reads a Parquet file, one row group at a time.
 * @param choose returns the columns to read; the others are not decompressed
 * @throws BillError
 */
export async function* parquetRows(
  path: string,
  choose: (columns: readonly string[]) => readonly string[],
): AsyncGenerator<Row> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file).catch(damaged);
  const names = parquetSchema(metadata).children.map(({ element }) => element.name);
  const chosen = new Set(choose(names.map(columnName)));
  const columns = names.filter((name) => chosen.has(columnName(name)));
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const rows = await parquetReadObjects({ file, metadata, columns, rowStart, rowEnd, compressors }).catch(
      damaged,
    );
    for (const [index, row] of rows.entries()) yield new Row(cellsOf(row), `row ${rowStart + index + 1}`);
    rowStart = rowEnd;
  }
}

function damaged(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new BillError(`The Parquet file is damaged or cut off: ${reason}.`, { cause: error });
}
