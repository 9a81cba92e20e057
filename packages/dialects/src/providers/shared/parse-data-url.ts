const MAX_TYPE_LENGTH = 100;

/**
 * Parses a data URL in base64 without a regular expression, which would go through megabytes.
 * @returns undefined for any other URL
 */
export function parseDataUrl(url: string): { mediaType: string; data: string } | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const comma = url.slice(0, MAX_TYPE_LENGTH).indexOf(',');
  const [given = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const isBase64 = parameters.at(-1)?.toLowerCase() === 'base64';
  if (comma === -1 || given === '' || !isBase64) return undefined;
  const mediaType = given.toLowerCase();
  return { mediaType: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data: url.slice(comma + 1) };
}
