/** Where a page begins, and the period that all pages share: "now" is later when the next one is asked for. */
export interface Page {
  startTime: number;
  endTime: number;
  pageStart: number;
}

const PAGE = /^(\d{1,11})\.(\d{1,11})\.(\d{1,11})$/;

/** @returns what clients hand back and need not understand */
export function encodePage({ startTime, endTime, pageStart }: Page): string {
  return Buffer.from(`${startTime}.${endTime}.${pageStart}`).toString('base64url');
}

/** @returns undefined for what no page ever had */
export function decodePage(token: string): Page | undefined {
  const [, startTime, endTime, pageStart] = PAGE.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (startTime === undefined) return undefined;
  const page = { startTime: Number(startTime), endTime: Number(endTime), pageStart: Number(pageStart) };
  return page.startTime < page.endTime && encodePage(page) === token ? page : undefined;
}
