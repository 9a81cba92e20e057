import { TAG_LABEL, type UsageLabel } from '@model-gateway/shared';
import { z } from 'zod';

const MAX_VALUES = 100;

/**
 * Accepts a query parameter once, with values separated by commas, or several times. In a list, commas belong
 * to the values: an end user may have one in its id.
 */
export function queryList<Value extends z.ZodType<string>>(value: Value) {
  return z
    .preprocess(
      (given) => (typeof given === 'string' ? given.split(',') : given),
      z.array(value).max(MAX_VALUES).optional(),
    )
    .transform((values) => (values === undefined ? undefined : [...new Set(values)]));
}

/** Accepts `true` and `false` as texts. */
export const queryBoolean = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean(),
);

// Postgres accepts no text with a NUL.
export const queryText = z
  .string()
  .min(1)
  .max(512)
  .refine((text) => !text.includes('\0'), 'must not contain NUL');

/** A moment in a query: Unix seconds, or ISO 8601 with a time zone. */
export const queryTime = z
  .union([
    z
      .string()
      .regex(/^\d{1,11}$/, 'must be Unix seconds, or ISO 8601 with a time zone')
      .transform(Number),
    z.iso
      .datetime({ offset: true })
      .refine((text) => Date.parse(text) >= 0, 'must be in 1970 or later')
      .transform((text) => Math.floor(Date.parse(text) / 1_000)),
  ])
  .meta({ description: 'Unix seconds, or ISO 8601 with a time zone.' });

/** Parameters that find requests by their labels: spread them into the schema of the route. */
export const labelParameters = {
  tags: z
    .record(z.string(), queryList(queryText))
    .optional()
    .describe('Only requests with these tags: `tags[project]=alpha`.'),
  end_users: queryList(queryText).describe('Only these end users.'),
  sessions: queryList(queryText).describe('Only these sessions.'),
};

/** Parameters that find requests by time: spread them into the schema of the route. */
export const periodParameters = {
  start_time: queryTime.optional(),
  end_time: queryTime.optional().describe('Exclusive.'),
};

/** Returns a period as Unix milliseconds in texts, as messages have it. */
export function periodOf(query: { start_time?: number | undefined; end_time?: number | undefined }) {
  const { end_time: end, start_time: start } = query;
  return {
    ...(start !== undefined && { startMs: String(start * 1_000) }),
    ...(end !== undefined && { endMs: String(end * 1_000) }),
  };
}

/** Returns the labels that a query asks for, with their values. */
export function labelsOf(query: {
  tags?: Readonly<Record<string, string[] | undefined>> | undefined;
  end_users?: string[] | undefined;
  sessions?: string[] | undefined;
}): { label: UsageLabel; values: string[] }[] {
  return [
    ...Object.entries(query.tags ?? {}).map(([tag, values]) => ({
      label: `${TAG_LABEL}${tag}` as const,
      values,
    })),
    { label: 'end_user' as const, values: query.end_users },
    { label: 'session' as const, values: query.sessions },
  ].flatMap(({ label, values }) => (values === undefined ? [] : [{ label, values }]));
}
