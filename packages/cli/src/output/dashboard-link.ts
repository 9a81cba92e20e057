/** Returns a link to a page of the dashboard. The token follows the #, which browsers send to no server. */
export function dashboardLink(dashboardUrl: string, page: string, token: string): string {
  return `${dashboardUrl}/${page}#token=${token}`;
}

/** Returns the advice to print when the dashboard's URL, and so the whole link, is unknown. */
export function linkAdvice(page: string): string {
  const link = dashboardLink("<the dashboard's address>", page, '<this token>');
  return `open ${link}, or set PUBLIC_URL to get the whole link`;
}
