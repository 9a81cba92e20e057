import { TAG_LABEL, type UsageLabel } from '@model-gateway/shared';
import { z } from 'zod';

const MAX_VALUES = 100;

/** Accepts a query parameter once, several times, and with values separated by commas. */
export function queryList<Value extends z.ZodType<string>>(value: Value) {
  return distinctValues(value, (given) => [given].flat().flatMap(splitText));
}

function distinctValues<Value extends z.ZodType<string>>(
  value: Value,
  listOf: (given: unknown) => unknown[],
) {
  return z
    .preprocess(
      (given) => (given === undefined ? undefined : listOf(given)),
      z.array(value).max(MAX_VALUES).optional(),
    )
    .transform((values) => (values === undefined ? undefined : [...new Set(values)]));
}

function splitText(given: unknown): unknown[] {
  return typeof given === 'string' ? given.split(',') : [given];
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

/** Accepts values that may have commas: splits only a parameter that is given once, without `[]`. */
const queryLabels = distinctValues(queryText, (given) => (Array.isArray(given) ? given : splitText(given)));

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
    .record(z.string(), queryLabels)
    .optional()
    .describe('Only requests with these tags: `tags[project]=alpha`.'),
  end_users: queryLabels.describe('Only these end users. With `end_users[]=`, a value may have commas.'),
  sessions: queryLabels.describe('Only these sessions. With `sessions[]=`, a value may have commas.'),
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
