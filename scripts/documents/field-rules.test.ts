import { describe, expect, it } from 'vitest';
import type { FieldRules } from '../../services/data-plane/src/providers/field-rules.ts';
import { fieldTable } from './field-table.ts';

const RULES: FieldRules = {
  metadata: { fate: 'ignored', note: 'only tags' },
  messages: { fate: 'carried', note: '' },
  'tools[].strict': { fate: 'refused', note: 'there is no a|b' },
};

describe('the table of the fields that are translated', () => {
  it('has what changes the answer and is refused first, then what is ignored, then what is carried', () => {
    expect(fieldTable(RULES)).toBe(
      [
        '| field            | what becomes of it |                  |',
        '| ---------------- | ------------------ | ---------------- |',
        '| `tools[].strict` | refused            | there is no a\\|b |',
        '| `metadata`       | ignored            | only tags        |',
        '| `messages`       | carried            |                  |',
      ].join('\n'),
    );
  });
});
