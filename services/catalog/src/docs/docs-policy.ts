/** Only this origin: a page loads nothing from elsewhere and sends nothing elsewhere. */
const ONLY_THIS_ORIGIN = [
  // Scripts of the pages set styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * Returns the headers of a page.
 * @param scriptHashes of its inline scripts, such as `sha256-…`
 */
export function pageHeaders(scriptHashes: readonly string[] = []): Record<string, string> {
  const scripts = ["script-src 'self'", ...scriptHashes.map((hash) => `'${hash}'`)].join(' ');
  return {
    'content-security-policy': ["default-src 'none'", scripts, ...ONLY_THIS_ORIGIN].join('; '),
    'referrer-policy': 'no-referrer',
  };
}
