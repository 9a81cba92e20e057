import type { FieldRule, FieldRules } from '@model-gateway/dialects';
import { markdownTable } from './markdown-table.ts';

const ORDER: readonly FieldRule['fate'][] = ['refused', 'ignored', 'carried'];

/** Returns a Markdown table of what happens to each field of a translated request. */
export function fieldTable(rules: FieldRules): string {
  const rows = ORDER.flatMap((fate) =>
    Object.entries(rules)
      .filter(([, rule]) => rule.fate === fate)
      .map(([name, { note }]) => [`\`${name}\``, fate, note]),
  );
  return markdownTable([['field', 'result', 'sent as, or reason'], ...rows]);
}
