import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { BillError } from './bill-error.ts';
import { type BillPart, readBillPage } from './read-bill.ts';

export interface FetchBillOptions {
  /** The provider's API with its version, such as `https://api.openai.com/v1`. */
  baseUrl?: string;
  /** An admin key of the organization; keys for requests cannot read bills. */
  adminKey: string;
  /** Inclusive, Unix milliseconds. */
  fromMs: number;
  /** Exclusive, Unix milliseconds. */
  toMs: number;
  signal?: AbortSignal;
}

interface Pages {
  url: string;
  query: readonly (readonly [name: string, value: string])[];
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal | undefined;
  maxPages?: number;
}

const TIMEOUT_MS = 60_000;
const MAX_TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
const MAX_PAGES = 10_000;
const MAX_PAGE_BYTES = 64 * 1_024 * 1_024;
const cursor = z.object({ has_more: z.boolean(), next_page: z.string().nullish() });

/**
 * Fetches all pages of a usage or cost API.
 * @throws BillError for a refusal, a response of another form, too many pages, or too large a page
 */
export async function* fetchPages({
  maxPages = MAX_PAGES,
  query,
  url,
  ...request
}: Pages): AsyncGenerator<BillPart> {
  let page: string | null | undefined;
  let count = 0;
  do {
    if (++count > maxPages) throw new BillError(`${url} has more than ${maxPages} pages.`);
    const parameters = new URLSearchParams();
    for (const [name, value] of query) parameters.append(name, value);
    if (page) parameters.set('page', page);
    const text = await fetchText(`${url}?${parameters}`, request);
    const { has_more, next_page } = parseCursor(url, text);
    yield* readBillPage(Readable.from([text]));
    if (has_more && next_page === page)
      throw new BillError(`${url} names the same page as the next one again.`);
    page = has_more ? next_page : undefined;
  } while (page);
}

function parseCursor(url: string, text: string): z.infer<typeof cursor> {
  try {
    return cursor.parse(JSON.parse(text));
  } catch (error) {
    throw new BillError(`${url} did not return a page of a usage or cost API. Check the URL of the API.`, {
      cause: error,
    });
  }
}

async function fetchText(
  url: string,
  { headers, signal }: Pick<Pages, 'headers' | 'signal'>,
): Promise<string> {
  for (let tried = 1; ; tried++) {
    const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(signal === undefined ? [] : [signal])];
    // A redirect to another origin would take along an admin key in `x-api-key`.
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.any(signals) });
    const text = await readText(url, response);
    if (response.ok) return text;
    const isTemporary = response.status === 429 || response.status >= 500;
    if (!isTemporary || tried === MAX_TRIES)
      throw new BillError(
        `${new URL(url).pathname} answered ${response.status}: ${text.slice(0, 300)}${adviceFor(response.status)}`,
      );
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const pauseMs = Number.isNaN(seconds) ? FIRST_WAIT_MS * 2 ** (tried - 1) : seconds * 1_000;
    await wait(Math.min(pauseMs, MAX_WAIT_MS), undefined, signal === undefined ? {} : { signal });
  }
}

function adviceFor(status: number): string {
  return status === 401 || status === 403 ? '. Use an admin key of the organization.' : '';
}

async function readText(url: string, { body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_PAGE_BYTES)
      throw new BillError(`A page of ${url} has more than ${MAX_PAGE_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
