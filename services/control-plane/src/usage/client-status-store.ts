import { Prisma } from '@model-gateway/database';
import { ERROR_CODES } from '@model-gateway/shared';

const OK = 200;

export interface StatusRange {
  first: number;
  last: number;
}

/** Matches usage records `r` whose caller got one of these statuses, as clientStatusOf defines them. */
export function hasClientStatus({ first, last }: StatusRange): Prisma.Sql {
  const codes = Object.entries(ERROR_CODES)
    .filter(([code, { status }]) => code !== 'upstream_rejected' && status >= first && status <= last)
    .map(([code]) => code);
  const code = Prisma.sql`(r.attempts -> -1 ->> 'errorCode')`;
  const rejected = Prisma.sql`
    coalesce((r.attempts -> -1 ->> 'httpStatus')::int, ${ERROR_CODES.upstream_rejected.status}::int)`;
  return Prisma.sql`(
    r.client_status BETWEEN ${first}::int AND ${last}::int
    OR (r.client_status IS NULL AND (
      (r.billing_reason IN ('completed', 'estimated', 'cache_hit') AND ${first <= OK && OK <= last}::boolean)
      OR (r.billing_reason = 'upstream_failed_free' AND (
        ${code} = ANY(${codes}::text[])
        OR (${code} = 'upstream_rejected' AND ${rejected} BETWEEN ${first}::int AND ${last}::int)
      ))
    ))
  )`;
}
