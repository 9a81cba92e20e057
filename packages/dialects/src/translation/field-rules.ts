/**
 * The rule for a field of a translated request: carried (translated); refused, because it changes the answer
 * and the other API cannot express it; or ignored and named in `x-gateway-ignored`, because it only tunes or
 * tags. Translators follow these rules, and docs/reference is generated from them.
 */
export interface FieldRule {
  fate: 'carried' | 'refused' | 'ignored';
  /** The name it is sent under, or the reason: text for the table and, for a refusal, for the caller. */
  note: string;
  /** True if a value asks for no more than its absence does: then it is as good as not there. */
  isNeutral?: (value: unknown) => boolean;
}

/** By the name of the field, as callers are told it: `temperature`, `messages[].name`. */
export type FieldRules = Readonly<Record<string, FieldRule>>;

export const carried = (note: string) => ({ fate: 'carried', note }) as const;
export const refused = (note: string, isNeutral?: FieldRule['isNeutral']) =>
  unlessNeutral('refused', note, isNeutral);
export const ignored = (note: string, isNeutral?: FieldRule['isNeutral']) =>
  unlessNeutral('ignored', note, isNeutral);

function unlessNeutral(fate: FieldRule['fate'], note: string, isNeutral: FieldRule['isNeutral']): FieldRule {
  return isNeutral === undefined ? { fate, note } : { fate, note, isNeutral };
}

/** Returns the rules of an object's members by their whole paths. */
export function under(path: string, rules: FieldRules): FieldRules {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [`${path}.${name}`, rule]));
}

export function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Returns true for `modalities` that ask for nothing but text. */
export function isTextAlone(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => entry === 'text');
}
