/** Start of a page, and the period, which all pages share although "now" moves on. */
export interface Page {
  startTime: number;
  endTime: number;
  pageStart: number;
  /**
   * Position in a bucket that continues from the previous page, as the control plane sent it; undefined: the
   * bucket starts here.
   */
  pageAfter?: string | undefined;
}

const PAGE = /^(\d{1,11})\.(\d{1,11})\.(\d{1,11})(?:\.([\w-]{1,8192}))?$/;

export function encodePage({ startTime, endTime, pageStart, pageAfter }: Page): string {
  const place = pageAfter === undefined ? '' : `.${pageAfter}`;
  return Buffer.from(`${startTime}.${endTime}.${pageStart}${place}`).toString('base64url');
}

/** Decodes a page token. @returns undefined if it is invalid */
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
