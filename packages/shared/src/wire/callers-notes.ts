/**
 * The field of a request that holds the caller's own notes, any JSON. The gateway removes it before it sends
 * the request to a provider, because a strict provider would refuse the unknown field.
 */
export const CALLERS_NOTES = 'notre';
