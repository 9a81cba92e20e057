import { type Command, InvalidArgumentError } from 'commander';

export interface PageOptions {
  limit?: number;
  page?: string;
}

/** Where a page begins: at the token of an earlier page, after a row, or, with neither, at the beginning. */
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

/** Maximum rows in one response of the control plane. */
const MAX_LIMIT = 1_000;
const PAGE_NUMBER = /^[1-9]\d{0,5}$/;

/** @param place what --page accepts besides a number, such as "the id of the last account" */
export function addPageOptions(
  command: Command,
  { limit, place }: { limit: string; place: string },
): Command {
  return command
    .option('--limit <n>', `rows per page, 1 to ${MAX_LIMIT} (${limit})`, parsePageLimit)
    .option('--page <page>', `page number, or ${place} (1)`);
}

/**
 * Reads one page of a list. The control plane may return fewer rows than the limit although more follow, so
 * this calls it until the page is full.
 * @param startOf converts a `page` that is not a number to the place where the page begins
 */
export async function readPage<Row>(
  { limit, page = '1' }: { limit: number; page?: string | undefined },
  startOf: (page: string) => Omit<PagePlace, 'limit'>,
  request: (place: PagePlace) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const isNumber = PAGE_NUMBER.test(page);
  let place = isNumber ? {} : startOf(page);
  let skip = isNumber ? (Number(page) - 1) * limit : 0;
  const rows: Row[] = [];
  for (;;) {
    const wanted = Math.min(MAX_LIMIT, skip + limit - rows.length);
    const answer = await request({ limit: wanted, ...place });
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
