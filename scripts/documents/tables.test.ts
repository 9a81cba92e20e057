import { describe, expect, it } from 'vitest';
import * as shared from '../../packages/shared/src/index.ts';
import { readPage } from './pages.ts';

/** The cells of the first table after a heading, by row. */
function rowsAfter(page: string, heading: string): string[][] {
  const [, section = ''] = readPage(page).split(`\n${heading}\n`);
  const [, table = ''] = /\n(\|.+?)\n\n/s.exec(section) ?? [];
  return table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
}

describe('docs/errors.md', () => {
  it('has every error code, with its status and type', () => {
    const rows = rowsAfter('docs/errors.md', '## Error codes');
    const documented = rows.flatMap(([, statuses = '', type = '', codes = '']) =>
      [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => ({ code, type, status: statuses.split(', ')[0] })),
    );
    const inForce = Object.entries(shared.ERROR_CODES).map(([code, { status, type }]) => ({
      code,
      type: `\`${type}\``,
      status: String(status),
    }));
    expect(documented).toHaveLength(inForce.length + 1); // The heading, which names `code`.
    expect(documented).toEqual(expect.arrayContaining(inForce));
  });
});

describe('docs/limits-and-credit.md', () => {
  it('has the default of every limit', () => {
    const rows = rowsAfter('docs/limits-and-credit.md', '## Limits').slice(2);
    expect(rows.map(([, , perMinute = '']) => Number.parseInt(perMinute, 10))).toEqual([
      shared.FREE_REQUESTS_PER_MINUTE,
      shared.PAID_REQUESTS_PER_MINUTE,
      shared.READ_REQUESTS_PER_MINUTE,
      shared.TEAM_REQUESTS_PER_MINUTE,
      shared.CONCURRENT_STREAMS_PER_KEY,
      shared.ANONYMOUS_READS_PER_MINUTE,
    ]);
  });
});
