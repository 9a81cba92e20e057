import type { FieldRule, FieldRules } from '../../services/data-plane/src/providers/field-rules.ts';
import { markdownTable } from './markdown-table.ts';

const ORDER: readonly FieldRule['fate'][] = ['refused', 'ignored', 'carried'];

/** What becomes of the fields of a request that is translated, as a table in Markdown. */
export function fieldTable(rules: FieldRules): string {
  const rows = ORDER.flatMap((fate) =>
    Object.entries(rules)
      .filter(([, rule]) => rule.fate === fate)
      .map(([name, { note }]) => [`\`${name}\``, fate, note]),
  );
  return markdownTable([['field', 'what becomes of it', ''], ...rows]);
}
