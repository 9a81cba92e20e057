/**
 * Where the reference of the API is read.
 * @param apiBaseUrl of the session, with /v1
 */
export function docsUrl(apiBaseUrl: string): string {
  return apiBaseUrl.replace(/\/v1$/, '/docs');
}
