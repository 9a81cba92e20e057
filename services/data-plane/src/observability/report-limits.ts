export const REPORT_INTERVAL_MS = 5_000;
export const REPORT_TIMEOUT_MS = 4_000;
/** A report expires when the next two are overdue. */
export const REPORT_VALID_MS = 3 * REPORT_INTERVAL_MS;
/** More entries than a catalog usually needs, but few enough for one message. */
export const MAX_REPORTED = 1_000;
