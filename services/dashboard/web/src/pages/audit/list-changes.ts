import type { AuditEvent } from '../../../../wire/audit.ts';

export interface FieldChange {
  field: string;
  /** As text; null: there was none. */
  before: string | null;
  after: string | null;
}

const MAX_LENGTH = 120;
/** The page shows them beside the changes. */
const SHOWN_ELSEWHERE = ['object', 'id', 'account_id', 'created_at'];
const EMPTY = new Set(['', '[]', '{}']);

/** Lists the fields of an event's object that differ before and after. Empty values count as none. */
export function listChanges({ before, after }: Pick<AuditEvent, 'before' | 'after'>): FieldChange[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  for (const field of SHOWN_ELSEWHERE) fields.delete(field);
  return [...fields]
    .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
    .filter((change) => change.before !== change.after);
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (EMPTY.has(text)) return null;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
