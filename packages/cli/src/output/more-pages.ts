/**
 * Says on standard error how to get the next page.
 * @param page the value for --page; undefined when there is no next page
 */
export function morePagesNote(page: string | undefined): { note?: string } {
  return page === undefined ? {} : { note: `more: --page ${page}` };
}
