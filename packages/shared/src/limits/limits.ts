/** Defaults of every limit; an account or team may have its own (docs/limits-and-credit.md, "Limits"). */
export const LIMIT_WINDOW_SECONDS = 60;
export const FREE_REQUESTS_PER_MINUTE = 60;
export const PAID_REQUESTS_PER_MINUTE = 100;
export const READ_REQUESTS_PER_MINUTE = 300;
export const TEAM_REQUESTS_PER_MINUTE = 600;
export const CONCURRENT_STREAMS_PER_KEY = 10;
export const ANONYMOUS_READS_PER_MINUTE = 120;

/** Requests per minute of an admin key to the management API. */
export const ADMIN_REQUESTS_PER_MINUTE = 600;
/** Requests of a SCIM token per minute; Entra ID asks for at least 25 a second. */
export const SCIM_REQUESTS_PER_MINUTE = 3_000;
/** Requests per minute of an address without a valid admin key or SCIM token. */
export const ADMIN_FAILURES_PER_MINUTE = 60;

/** Body caps in bytes. */
export const MAX_JSON_BODY_BYTES = 20 * 1024 * 1024;
export const MAX_FORM_BYTES = 25 * 1024 * 1024;
