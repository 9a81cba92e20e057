import { describe, expect, it } from 'vitest';
import { formatTable } from './format-table.ts';

describe('a table', () => {
  it('lines its columns up and ends no line with blanks', () => {
    const table = formatTable(
      ['ID', 'NAME'],
      [
        ['key_1', ''],
        ['k', 'two words'],
      ],
    );
    expect(table).toBe('ID     NAME\nkey_1\nk      two words\n');
  });

  it('control characters in a name neither move the cursor nor start a line', () => {
    expect(formatTable(['NAME'], [['a\u001b[2Jb\nc\u202ed']])).toBe(
      'NAME\na\u{fffd}[2Jb\u{fffd}c\u{fffd}d\n',
    );
  });
});
