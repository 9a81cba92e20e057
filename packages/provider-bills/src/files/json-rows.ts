import { pipeline, type Readable } from 'node:stream';
import { pick } from 'stream-json/filters/pick.js';
import { parser } from 'stream-json/parser.js';
import { streamValues } from 'stream-json/streamers/stream-values.js';
import { z } from 'zod';
import { BillError, zipErrorOf } from '../bill-error.ts';
import { cellsOf, Row } from '../row.ts';

/** Matches each time bucket of a page and whether another page follows; pages may be in an array. */
const BUCKETS = /^(?:\d+\.)?(?:data\.\d+|has_more)$/;
const bucket = z.looseObject({ results: z.array(z.looseObject({})) });
const picked = z.object({ value: z.union([z.boolean(), bucket]) });

/**
 * Reads the results of pages of a usage or cost API: one page, several in a row, or an array of them.
 * A row has the members of a result and of its bucket. Numbers keep their text.
 * @param isWhole false: the next page is fetched separately
 * @throws BillError, also if a whole file's last page says that more follow
 */
export async function* jsonRows(content: Readable, isWhole: boolean): AsyncGenerator<Row> {
  // Errors reach the loop through the last stream.
  const values = pipeline(
    content,
    parser.asStream({ jsonStreaming: true }),
    pick.asStream({ filter: BUCKETS }),
    streamValues.asStream({ numberAsString: true }),
    () => undefined,
  );
  let buckets = 0;
  let hasMore: boolean | undefined;
  try {
    for await (const item of values) {
      const { data } = picked.safeParse(item);
      if (data === undefined)
        throw new BillError(
          'The JSON file has "data" without time buckets: export the usage or costs in buckets.',
        );
      if (typeof data.value === 'boolean') {
        hasMore = data.value;
        continue;
      }
      const { results, ...times } = data.value;
      const shared = cellsOf(times);
      buckets += 1;
      for (const result of results)
        yield new Row(new Map([...shared, ...cellsOf(result)]), `bucket ${buckets}`);
    }
  } catch (error) {
    if (error instanceof BillError || !isSyntaxProblem(error)) throw zipErrorOf(error);
    throw new BillError(`The JSON file is damaged or cut off: ${error.message}.`, { cause: error });
  }
  if (buckets === 0 && hasMore === undefined)
    throw new BillError('The JSON file has no time buckets ("data") of a usage or cost API.');
  if (isWhole && hasMore)
    throw new BillError('The last page says "has_more": true: add the pages that follow to the file.');
}

/** Returns true for errors of the parser. They have no code, unlike those of files and gzip. */
function isSyntaxProblem(error: unknown): error is Error {
  return error instanceof Error && !('code' in error) && !(error instanceof TypeError);
}
