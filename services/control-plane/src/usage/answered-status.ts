import { Prisma } from '@model-gateway/database';
import { ERROR_CODES } from '@model-gateway/shared';
import type { StoredAttempt } from './usage-store.ts';

const OK = 200;
const CODES: [code: string, status: number][] = Object.entries(ERROR_CODES).map(([code, { status }]) => [
  code,
  status,
]);
const STATUS_OF_CODE: ReadonlyMap<string, number> = new Map(CODES);

/** HTTP statuses from one to another one, both included. */
export interface StatusRange {
  first: number;
  last: number;
}

/** What the caller of a request was answered, as messages carry it: told by how the request ended. */
export function answeredStatus({
  billingReason,
  attempts,
}: {
  billingReason: string;
  attempts: readonly Pick<StoredAttempt, 'httpStatus' | 'errorCode'>[];
}): { clientStatus?: number; clientErrorCode?: string } {
  if (billingReason === 'completed' || billingReason === 'estimated') return { clientStatus: OK };
  const { httpStatus = null, errorCode = null } = attempts.at(-1) ?? {};
  if (billingReason !== 'upstream_failed_free' || errorCode === null) return {};
  // The caller got the provider's own status with this code alone.
  const rejected = errorCode === 'upstream_rejected' ? (httpStatus ?? undefined) : undefined;
  const status = rejected ?? STATUS_OF_CODE.get(errorCode);
  return { ...(status === undefined ? {} : { clientStatus: status }), clientErrorCode: errorCode };
}

/** The same as a condition on rows of usage_records, under the name r. */
export function isAnswered({ first, last }: StatusRange): Prisma.Sql {
  const codes = CODES.filter(
    ([code, status]) => code !== 'upstream_rejected' && status >= first && status <= last,
  ).map(([code]) => code);
  const code = Prisma.sql`(r.attempts -> -1 ->> 'errorCode')`;
  const rejected = Prisma.sql`coalesce((r.attempts -> -1 ->> 'httpStatus')::int, ${ERROR_CODES.upstream_rejected.status}::int)`;
  return Prisma.sql`(
    (r.billing_reason IN ('completed', 'estimated') AND ${first <= OK && OK <= last}::boolean)
    OR (r.billing_reason = 'upstream_failed_free' AND (
      ${code} = ANY(${codes}::text[])
      OR (${code} = 'upstream_rejected' AND ${rejected} BETWEEN ${first}::int AND ${last}::int)
    ))
  )`;
}
