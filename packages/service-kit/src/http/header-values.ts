import type { IncomingMessage } from 'node:http';

/**
 * Every value of one header, in order; `req.headers` keeps only the first of some headers and joins others.
 * Unlike `req.headersDistinct` this builds no second object of all headers (1 µs).
 *
 * @param name in lower case
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index];
    // The length tells most names apart without making a copy in lower case.
    if (header?.length === name.length && header.toLowerCase() === name)
      values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
