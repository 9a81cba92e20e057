/**
 * The rule for a field of a translated request: carried; refused, because it changes the output and the other
 * API cannot express it; or ignored and named in `x-gateway-ignored`, because it only tunes or tags. The
 * tables of docs/reference are generated from these rules.
 */
export interface FieldRule {
  fate: 'carried' | 'refused' | 'ignored';
  /** The name at the provider, or the reason: a cell of the table and part of the caller's error. */
  note: string;
  /** Returns true for values that mean the same as leaving the field out. */
  isNeutral?: (value: unknown) => boolean;
}

/** Rules by field: `temperature`, `messages[].name`. */
export type FieldRules = Readonly<Record<string, FieldRule>>;

export const carried = (note: string) => ({ fate: 'carried', note }) as const;
export const refused = (note: string, isNeutral?: FieldRule['isNeutral']) =>
  unlessNeutral('refused', note, isNeutral);
export const ignored = (note: string, isNeutral?: FieldRule['isNeutral']) =>
  unlessNeutral('ignored', note, isNeutral);

function unlessNeutral(fate: FieldRule['fate'], note: string, isNeutral: FieldRule['isNeutral']): FieldRule {
  return isNeutral === undefined ? { fate, note } : { fate, note, isNeutral };
}

/** Prefixes the names of rules with a path. */
export function under(path: string, rules: FieldRules): FieldRules {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [`${path}.${name}`, rule]));
}

/** Returns a test for neutral values. */
export function is(...values: readonly unknown[]): (value: unknown) => boolean {
  return (value) => values.includes(value);
}

export function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

export function isTextOnly(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => entry === 'text');
}
