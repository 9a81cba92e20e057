import { ERROR_CODES } from '@model-gateway/shared';
import type { ReceiptRow } from './usage-store.ts';

type Answered = Pick<ReceiptRow, 'clientStatus' | 'clientErrorCode' | 'billingReason' | 'attempts'>;

const OK = 200;
const STATUS_OF_CODE: ReadonlyMap<string, number> = new Map(
  Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]),
);

/**
 * What the caller of a request was answered, as messages carry it: empty where that is not known. Records of
 * data planes that did not report it tell it by how the request ended.
 */
export function clientAnswer(row: Answered): { clientStatus?: number; clientErrorCode?: string } {
  const { clientStatus, clientErrorCode } = row;
  if (clientStatus !== null)
    return { clientStatus, ...(clientErrorCode === null ? {} : { clientErrorCode }) };
  const { httpStatus = null, errorCode = null } = row.attempts.at(-1) ?? {};
  switch (row.billingReason) {
    case 'completed':
    case 'estimated':
      return { clientStatus: OK };
    case 'upstream_failed_free': {
      if (errorCode === null) return {};
      // The caller got the provider's own status with this code alone.
      const rejected = errorCode === 'upstream_rejected' ? (httpStatus ?? undefined) : undefined;
      const status = rejected ?? STATUS_OF_CODE.get(errorCode);
      return { ...(status === undefined ? {} : { clientStatus: status }), clientErrorCode: errorCode };
    }
    default:
      return {};
  }
}
