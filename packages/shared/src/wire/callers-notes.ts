/**
 * The request field for the caller's own notes (any JSON). It is removed: strict providers would refuse it.
 */
export const CALLERS_NOTES = 'notre';
