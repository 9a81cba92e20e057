/**
 * The field of a request that holds the caller's own notes, any JSON. The gateway removes it from what a
 * provider is sent: a strict provider would refuse it as unknown.
 */
export const CALLERS_NOTES = 'notre';
