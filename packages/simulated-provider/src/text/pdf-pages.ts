/** A page is read as text and as a picture. */
export const TOKENS_PER_PAGE = 2_000;

/** The pages of a PDF, as far as they are listed without compression; at least one. */
export function pagesOf(base64: string): number {
  const pages = Buffer.from(base64, 'base64')
    .toString('latin1')
    .match(/\/Type\s*\/Page\b/g);
  return Math.max(1, pages?.length ?? 0);
}
