import { type Command, InvalidArgumentError } from 'commander';

export interface PageOptions {
  limit?: number;
  page?: string;
}

/** Where a page begins: at a token of an earlier answer, after a row, or, with neither, at the beginning. */
export interface PagePlace {
  limit: number;
  pageToken?: string;
  after?: string;
}

export interface Page<Row> {
  rows: Row[];
  /** Undefined when there are no more rows. */
  nextPageToken: string | undefined;
}

/** The most rows that one answer of the control plane has. */
const MAX_LIMIT = 1_000;
const PAGE_NUMBER = /^[1-9]\d{0,5}$/;

/** @param place what --page takes besides a number, such as "id of the last account of the page before" */
export function addPageOptions(
  command: Command,
  { limit, place }: { limit: string; place: string },
): Command {
  return command
    .option('--limit <n>', `at most so many, 1 to ${MAX_LIMIT} (${limit})`, parsePageLimit)
    .option('--page <page>', `number of the page, or ${place} (1)`);
}

/**
 * Reads one page of a list. The control plane may answer with fewer rows than it was asked for although more
 * follow; it is asked again until the page is full.
 * @param startOf returns where a page begins that is not given by its number
 */
export async function readPage<Row>(
  { limit, page = '1' }: { limit: number; page?: string | undefined },
  startOf: (page: string) => Omit<PagePlace, 'limit'>,
  ask: (place: PagePlace) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const isNumber = PAGE_NUMBER.test(page);
  let place = isNumber ? {} : startOf(page);
  let skip = isNumber ? (Number(page) - 1) * limit : 0;
  const rows: Row[] = [];
  for (;;) {
    const wanted = Math.min(MAX_LIMIT, skip + limit - rows.length);
    const answer = await ask({ limit: wanted, ...place });
    rows.push(...answer.rows.slice(skip));
    skip = Math.max(0, skip - answer.rows.length);
    const { nextPageToken } = answer;
    if (nextPageToken === undefined || rows.length >= limit) return { rows, nextPageToken };
    place = { pageToken: nextPageToken };
  }
}

function parsePageLimit(text: string): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= MAX_LIMIT) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`);
}
