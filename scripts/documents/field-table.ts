import type { FieldRule, FieldRules } from '@model-gateway/dialects';
import { markdownTable } from './markdown-table.ts';

const ORDER: readonly FieldRule['fate'][] = ['refused', 'ignored', 'carried'];

/** Returns a table in Markdown of how each field of a translated request is treated. */
export function fieldTable(rules: FieldRules): string {
  const rows = ORDER.flatMap((fate) =>
    Object.entries(rules)
      .filter(([, rule]) => rule.fate === fate)
      // An error message reads "the model …", and the note continues it.
      .map(([name, { note }]) => [`\`${name}\``, fate, fate === 'refused' ? `the model ${note}` : note]),
  );
  return markdownTable([['field', 'result', 'sent as, or reason'], ...rows]);
}
