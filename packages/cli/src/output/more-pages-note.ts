/** Returns the note about the next page. @param page the value for --page; undefined: there is none */
export function morePagesNote(page: string | undefined): string | undefined {
  return page === undefined ? undefined : `more: --page ${page}`;
}
