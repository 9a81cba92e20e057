/** Allows a page to load from and send to its own origin only. */
const ONLY_THIS_ORIGIN = [
  // The pages' scripts set inline styles.
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
 * @param scriptHashes hashes of its inline scripts, such as `sha256-…`
 */
export function pageHeaders(scriptHashes: readonly string[] = []): Record<string, string> {
  const scripts = ["script-src 'self'", ...scriptHashes.map((hash) => `'${hash}'`)].join(' ');
  return {
    'content-security-policy': ["default-src 'none'", scripts, ...ONLY_THIS_ORIGIN].join('; '),
    'referrer-policy': 'no-referrer',
  };
}
