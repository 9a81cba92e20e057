import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { escapeFormula, roundTo } from '@model-gateway/shared';
import { stringify } from 'csv-stringify';
import { fileWriter, parquetWriteRows, type SchemaElement } from 'hyparquet-writer';
import { FOCUS_COLUMN_NAMES, FOCUS_COLUMNS, type FocusColumnName } from './focus-columns.ts';
import {
  FOCUS_SCALE,
  type FocusOptions,
  type FocusRow,
  type FocusUsage,
  focusRow,
  focusText,
} from './focus-row.ts';

type Source = AsyncIterable<FocusUsage> | Iterable<FocusUsage>;

const PRECISION = 38;
const DECIMAL_BYTES = 16;
const ROW_GROUP_ROWS = 50_000;

/** Writes usage to a FOCUS 1.2 file in CSV, row by row. No name becomes a formula of a spreadsheet. */
export async function writeFocusCsv(path: string, usage: Source, options: FocusOptions): Promise<void> {
  async function* lines(): AsyncGenerator<readonly string[]> {
    yield FOCUS_COLUMN_NAMES;
    for await (const one of usage) {
      const row = focusRow(one, options);
      yield FOCUS_COLUMN_NAMES.map((name) => escapeFormula(focusText(row[name])));
    }
  }
  await pipeline(Readable.from(lines()), stringify(), createWriteStream(path));
}

/** Writes usage to a FOCUS 1.2 file in Parquet, one row group at a time. Decimals are exact. */
export async function writeFocusParquet(path: string, usage: Source, options: FocusOptions): Promise<void> {
  async function* rows() {
    for await (const one of usage) yield parquetRow(focusRow(one, options));
  }
  await parquetWriteRows({
    writer: fileWriter(path),
    rows: rows(),
    columns: FOCUS_COLUMN_NAMES.map((name) => ({ name })),
    schema: [{ name: 'root', num_children: FOCUS_COLUMN_NAMES.length }, ...FOCUS_COLUMN_NAMES.map(schemaOf)],
    rowGroupSize: ROW_GROUP_ROWS,
  });
}

function parquetRow(row: FocusRow): Record<string, unknown> {
  const entries = FOCUS_COLUMN_NAMES.map((name) => {
    const value = row[name];
    const isDecimal = typeof value === 'object' && value !== null && 'digits' in value;
    return [name, isDecimal ? roundTo(value, FOCUS_SCALE) : value];
  });
  return Object.fromEntries(entries);
}

function schemaOf(name: FocusColumnName): SchemaElement {
  const { isNullable, type } = FOCUS_COLUMNS[name];
  const shared = { name, repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED' } as const;
  switch (type) {
    case 'decimal':
      return {
        ...shared,
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: DECIMAL_BYTES,
        converted_type: 'DECIMAL',
        scale: FOCUS_SCALE,
        precision: PRECISION,
      };
    case 'time':
      return {
        ...shared,
        type: 'INT64',
        converted_type: 'TIMESTAMP_MILLIS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      };
    default:
      return { ...shared, type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  }
}
