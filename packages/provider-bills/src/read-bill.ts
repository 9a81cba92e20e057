import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { curColumnsIn } from './aws/cost-and-usage-lines.ts';
import { BillError } from './bill-error.ts';
import { BILL_FORMATS, type BillFormat, findFormat } from './bill-formats.ts';
import type { BillLine } from './bill-line.ts';
import { csvRows } from './files/csv-rows.ts';
import { jsonRows } from './files/json-rows.ts';
import { parquetRows } from './files/parquet-rows.ts';
import type { Row } from './row.ts';

/** The lines of one row of a bill, and its format. */
export interface BillPart {
  format: BillFormat;
  lines: BillLine[];
}

const HEAD_BYTES = 4_096;
const GZIP = Buffer.from([0x1f, 0x8b]);
const PARQUET = 'PAR1';
const JSON_START = /^\uFEFF?\s*[[{]/;

/**
 * Reads a provider's file row by row. Recognizes its format by its content, not by its name. JSON files may
 * have pages of several APIs, so each part has its format.
 * @throws BillError if the file is not recognized, is damaged, or has a wrong number
 */
export async function* readBill(path: string): AsyncGenerator<BillPart> {
  yield* partsOf(await rowsOf(path));
}

/** Converts one page of a usage or cost API. @throws BillError */
export async function* readBillPage(content: Readable): AsyncGenerator<BillPart> {
  yield* partsOf(jsonRows(content, false));
}

async function* partsOf(rows: AsyncIterable<Row>): AsyncGenerator<BillPart> {
  for await (const row of rows) {
    const format = findFormat((column) => row.has(column));
    if (format === undefined)
      throw new BillError(
        `${row.place} is not recognized: its columns are those of no accepted format. ${acceptedFormats()}`,
      );
    const lines = format.lines(row);
    if (lines.length > 0) yield { format, lines };
  }
}

async function rowsOf(path: string): Promise<AsyncIterable<Row>> {
  const head = await readHead(path);
  if (head.length === 0) throw new BillError(`The file is empty. ${acceptedFormats()}`);
  if (head.toString('latin1', 0, PARQUET.length) === PARQUET) return parquetRows(path, curColumnsIn);
  if (!head.subarray(0, GZIP.length).equals(GZIP)) return textRows(head.toString(), createReadStream(path));
  // Z_SYNC_FLUSH accepts that the head is cut off.
  const start = gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  return textRows(
    start,
    pipeline(createReadStream(path), createGunzip(), () => undefined),
  );
}

function textRows(head: string, content: Readable): AsyncIterable<Row> {
  return JSON_START.test(head) ? jsonRows(content, true) : csvRows(content);
}

async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

function acceptedFormats(): string {
  return `Accepted formats: ${BILL_FORMATS.map(({ name }) => name).join('; ')}.`;
}
