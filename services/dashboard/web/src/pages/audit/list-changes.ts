import type { AuditEvent } from '../../../../wire/audit.ts';

export interface FieldChange {
  field: string;
  /** As text; null: there was none. */
  before: string | null;
  after: string | null;
}

const MAX_LENGTH = 120;

/** Lists the fields of an event's object that differ before and after. Fields that are null are left out. */
export function listChanges({ before, after }: Pick<AuditEvent, 'before' | 'after'>): FieldChange[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  fields.delete('object');
  return [...fields]
    .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
    .filter((change) => change.before !== change.after);
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
