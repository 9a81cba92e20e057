import { ERROR_CODES } from '@model-gateway/shared';
import type { StoredAttempt } from './usage-store.ts';

/** Of what went well. */
export const OK = 200;
/** Which status an error code is answered with. */
export const CODES: [code: string, status: number][] = Object.entries(ERROR_CODES).map(
  ([code, { status }]) => [code, status],
);
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
