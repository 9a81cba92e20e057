/** Where a page begins, and the period that all pages share, because "now" is later for the next page. */
export interface Page {
  startTime: number;
  endTime: number;
  pageStart: number;
  /**
   * The place after which its first bucket continues, as the control plane wrote it; undefined: the bucket
   * begins on this page.
   */
  pageAfter?: string | undefined;
}

const PAGE = /^(\d{1,11})\.(\d{1,11})\.(\d{1,11})(?:\.([\w-]{1,4096}))?$/;

/** @returns a text that clients send back without understanding it */
export function encodePage({ startTime, endTime, pageStart, pageAfter }: Page): string {
  const place = pageAfter === undefined ? '' : `.${pageAfter}`;
  return Buffer.from(`${startTime}.${endTime}.${pageStart}${place}`).toString('base64url');
}

/** @returns undefined for a text that is no page token */
export function decodePage(token: string): Page | undefined {
  const [, startTime, endTime, pageStart, pageAfter] =
    PAGE.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (startTime === undefined) return undefined;
  const page = {
    startTime: Number(startTime),
    endTime: Number(endTime),
    pageStart: Number(pageStart),
    pageAfter,
  };
  return page.startTime < page.endTime && encodePage(page) === token ? page : undefined;
}
