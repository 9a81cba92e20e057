/** Says on standard error how to go on. @param page what --page takes; undefined: nothing to go on from */
export function morePagesNote(page: string | undefined): { note?: string } {
  return page === undefined ? {} : { note: `more: --page ${page}` };
}
