import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { escapeFormula } from '@model-gateway/shared';
import { stringify } from 'csv-stringify';
import type { Response } from 'express';

export type CsvRow = readonly (string | number | null)[];

/**
 * Streams rows as a CSV file with backpressure. A failure before the first row becomes an error response. A
 * later one aborts the download, so that half a file never looks complete.
 */
export async function sendCsv(
  res: Response,
  { fileName, header, rows }: { fileName: string; header: readonly string[]; rows: AsyncIterable<CsvRow> },
): Promise<void> {
  const iterator = rows[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (res.destroyed) {
    await iterator.return?.();
    return;
  }
  res.setHeader('content-type', 'text/csv; charset=utf-8');
  res.setHeader('content-disposition', `attachment; filename="${fileName}"`);
  async function* lines(): AsyncGenerator<CsvRow> {
    try {
      yield header;
      for (let next = first; next.done !== true; next = await iterator.next())
        yield next.value.map(escapeFormula);
    } finally {
      await iterator.return?.();
    }
  }
  const source = Readable.from(lines(), { objectMode: true, highWaterMark: 64 });
  await pipeline(source, stringify({ record_delimiter: 'windows' }), res).catch((error: unknown) => {
    if (!isReaderGone(error)) throw error;
  });
}

function isReaderGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
