import { describe, expect, it } from 'vitest';
import { CommandFailure } from '../command-failure.ts';
import { parseAccountsFile } from './parse-accounts-file.ts';

/** Returns the lines with which a file is refused. */
function problemsOf(text: string): readonly string[] {
  try {
    parseAccountsFile(text, 'f.csv');
  } catch (error) {
    if (error instanceof CommandFailure) return error.lines;
    throw error;
  }
  return [];
}

describe('a file of accounts', () => {
  it('has columns in any order, with quotes, a byte order mark and empty lines', () => {
    const text =
      '\u{feff}Name,Email,resets,pool_usd\r\n"Lovelace, Ada",Ada@Example.com,monthly,5.00\r\n\r\n,b@example.com,,';
    expect(parseAccountsFile(text, 'f.csv')).toEqual([
      { email: 'ada@example.com', name: 'Lovelace, Ada', pool: { usd: '5.00', resets: 'monthly' } },
      { email: 'b@example.com', name: '', pool: undefined },
    ]);
    expect(parseAccountsFile('email,pool_usd\na@example.com,1\n', 'f.csv')).toEqual([
      { email: 'a@example.com', name: '', pool: { usd: '1', resets: 'never' } },
    ]);
  });

  it('is refused with every bad row', () => {
    const rows = [
      'email,name,pool_usd,resets',
      'nobody,,,',
      'a@example.com,,-1,weekly',
      'b@example.com,,,monthly',
      'c@example.com,,,',
      'C@example.com,,,',
      'd@example.com',
    ];
    expect(problemsOf(rows.join('\n'))).toEqual([
      'f.csv, line 2: email: expected an e-mail address',
      'f.csv, line 3: pool_usd: expected US dollars above 0 such as 5.00',
      'f.csv, line 3: resets: expected monthly or never',
      'f.csv, line 4: resets: needs an amount in pool_usd',
      'f.csv, line 6: email: c@example.com is in line 5, too',
      'f.csv, line 7: expected as many values as there are columns',
      'nothing was imported',
    ]);
  });

  it('is refused without its columns or rows, or when it is no CSV', () => {
    expect(problemsOf('mail\na@example.com\n')).toEqual([
      'f.csv, line 1: there is no column "mail" to import; the first line names the columns: email,name,pool_usd,resets',
    ]);
    expect(problemsOf('name\nAda\n')[0]).toContain('there is no column email');
    expect(problemsOf('')).toEqual(['f.csv: no rows below the heading']);
    expect(problemsOf('email\n"a@example.com\n')[0]).toContain('Quote Not Closed');
  });
});
