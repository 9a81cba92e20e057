import { ERROR_CODES } from '@model-gateway/shared';
import type { ReceiptRow } from './usage-store.ts';

type EndedRequest = Pick<ReceiptRow, 'clientStatus' | 'clientErrorCode' | 'billingReason' | 'attempts'>;

const OK = 200;
const STATUS_OF_CODE: ReadonlyMap<string, number> = new Map(
  Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]),
);

/**
 * Returns the caller's status and error code; empty when unknown. For records without them, derives them from
 * how the request ended.
 */
export function clientStatusOf(row: EndedRequest): { clientStatus?: number; clientErrorCode?: string } {
  const { clientStatus, clientErrorCode } = row;
  if (clientStatus !== null)
    return { clientStatus, ...(clientErrorCode === null ? {} : { clientErrorCode }) };
  const { httpStatus = null, errorCode = null } = row.attempts.at(-1) ?? {};
  switch (row.billingReason) {
    case 'completed':
    case 'estimated':
    case 'cache_hit':
      return { clientStatus: OK };
    case 'upstream_failed_free': {
      if (errorCode === null) return {};
      // Only this code passes on the provider's status.
      const rejected = errorCode === 'upstream_rejected' ? (httpStatus ?? undefined) : undefined;
      const status = rejected ?? STATUS_OF_CODE.get(errorCode);
      return { ...(status === undefined ? {} : { clientStatus: status }), clientErrorCode: errorCode };
    }
    default:
      return {};
  }
}
