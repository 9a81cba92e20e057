import type { FieldRule, FieldRules } from '@model-gateway/dialects';
import { markdownTable } from './markdown-table.ts';

const ORDER: readonly FieldRule['fate'][] = ['refused', 'ignored', 'carried'];

/** What becomes of the fields of a request that is translated, as a table in Markdown. */
export function fieldTable(rules: FieldRules): string {
  const rows = ORDER.flatMap((fate) =>
    Object.entries(rules)
      .filter(([, rule]) => rule.fate === fate)
      // Callers are told of a refusal as "the model … ", and that is how its note goes on.
      .map(([name, { note }]) => [`\`${name}\``, fate, fate === 'refused' ? `the model ${note}` : note]),
  );
  return markdownTable([['field', 'what becomes of it', 'as what, or why'], ...rows]);
}
