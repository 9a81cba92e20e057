import { z } from 'zod';

/** GET /api/account/settings */
export const accountSettings = z.object({
  /** IANA name of the time zone in which the windows of its budgets begin. */
  timezone: z.string(),
  /** Such as `monday`. */
  weekStarts: z.string(),
  /** End users with own rules, as requests send them; at most 1,000. */
  endUsers: z.array(z.string()),
  /** True if its owners get mail when a pool or budget is used up to 80 or 100 %. */
  thresholdMails: z.boolean(),
  /** Setting of stored contents; null: none are stored. */
  contents: z.object({ days: z.number(), sinceMs: z.number() }).nullable(),
});
export type AccountSettings = z.infer<typeof accountSettings>;

/** POST /api/account/mails; answered with 204. */
export const setMailsRequest = z.object({ thresholdMails: z.boolean() });

/** POST /api/account/calendar; answered with 204. */
export const setCalendarRequest = z.object({
  timezone: z.string().min(1).max(100),
  weekStarts: z.string().min(1).max(20),
});
export type SetCalendarRequest = z.infer<typeof setCalendarRequest>;

/** POST /api/account/contents; answered with 204. */
export const setContentsRequest = z.object({
  /** Null: off. */
  days: z.int().min(1).max(30).nullable(),
});
export type SetContentsRequest = z.infer<typeof setContentsRequest>;
