import type { IncomingMessage } from 'node:http';

/**
 * Returns every value of one header, in order. `req.headers` keeps only the first value of some headers and
 * joins those of others. Unlike `req.headersDistinct`, this makes no second object of all headers (1 µs).
 *
 * @param name in lower case
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index];
    // Comparing the length first avoids most copies in lower case.
    if (header?.length === name.length && header.toLowerCase() === name)
      values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
