import { pipeline, type Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { z } from 'zod';
import { BillError, zipErrorOf } from '../bill-error.ts';
import { columnName, Row } from '../row.ts';

/** Bounds memory for a file without line ends. */
const MAX_ROW_CHARACTERS = 4_000_000;
/** A row of the parser with the option `info`. */
const parsedRow = z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) });

/** Reads the rows of a CSV file. The first row names the columns. @throws BillError */
export async function* csvRows(content: Readable): AsyncGenerator<Row> {
  const options = { bom: true, info: true, skip_empty_lines: true, max_record_size: MAX_ROW_CHARACTERS };
  let names: string[] | undefined;
  try {
    // The error reaches the loop through the last stream.
    for await (const row of pipeline(content, parse(options), () => undefined)) {
      const { info, record } = parsedRow.parse(row);
      if (names === undefined) names = record.map(columnName);
      else
        yield new Row(
          new Map(record.map((text, index) => [names?.[index] ?? '', text])),
          `line ${info.lines}`,
        );
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw zipErrorOf(error);
    throw new BillError(`The CSV file is damaged or cut off: ${error.message}.`, { cause: error });
  }
}
