/** The address of the API's reference. @param apiBaseUrl the base URL of the session, with /v1 */
export function docsUrl(apiBaseUrl: string): string {
  return apiBaseUrl.replace(/\/v1$/, '/docs');
}
