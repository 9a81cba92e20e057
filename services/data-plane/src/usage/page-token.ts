/**
 * Where a page begins, and the period that all pages share: "now" is later when the next one is asked for.
 */
export interface Page {
  startTime: number;
  endTime: number;
  pageStart: number;
  /** Its first bucket goes on after this place, as the control plane says it; undefined: it begins. */
  pageAfter?: string | undefined;
}

const PAGE = /^(\d{1,11})\.(\d{1,11})\.(\d{1,11})(?:\.([\w-]{1,4096}))?$/;

/** @returns what clients hand back and need not understand */
export function encodePage({ startTime, endTime, pageStart, pageAfter }: Page): string {
  const place = pageAfter === undefined ? '' : `.${pageAfter}`;
  return Buffer.from(`${startTime}.${endTime}.${pageStart}${place}`).toString('base64url');
}

/** @returns undefined for what no page ever had */
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
