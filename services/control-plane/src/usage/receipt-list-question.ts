import type { ListReceiptsRequestMessage } from '@model-gateway/contracts';
import { MAX_UNIX_SECONDS } from '@model-gateway/shared';
import { ControlPlaneError } from '../control-plane-error.ts';
import type { StatusRange } from './answered-status-store.ts';
import { decodePlace, type PagePlace } from './request-page.ts';

/** A ListReceiptsRequest that can be answered, but for whose requests they are. */
export interface ReceiptListQuestion {
  /** Unix milliseconds; `endMs` is not part of it. */
  startMs: number;
  endMs: number;
  modelId: string | undefined;
  /** Undefined: however they ended. */
  ending: { answered: StatusRange } | { billingReason: string } | undefined;
  limit: number;
  /** The place to go on from; undefined: the newest. */
  after: PagePlace | undefined;
}

const MAX_LIMIT = 1_000;
const MAX_UNIX_MS = MAX_UNIX_SECONDS * 1_000;
const BILLING_REASONS = ['completed', 'aborted_partial', 'upstream_failed_free', 'estimated'];
const STATUS = /^([1-5])(\d\d|xx)$/;

/** @throws ControlPlaneError invalid_argument */
export function receiptListQuestion(request: ListReceiptsRequestMessage): ReceiptListQuestion {
  const startMs = milliseconds('start_ms', request.startMs ?? '0');
  const endMs = milliseconds('end_ms', request.endMs ?? String(MAX_UNIX_MS));
  if (startMs >= endMs) throw invalid('start_ms must be before end_ms');
  if (request.limit < 1 || request.limit > MAX_LIMIT) throw invalid(`limit must be 1 to ${MAX_LIMIT}`);
  return {
    startMs,
    endMs,
    modelId: request.modelId,
    ending: request.status === undefined ? undefined : endingOf(request.status),
    limit: request.limit,
    after: request.pageToken === undefined ? undefined : placeOf(request.pageToken),
  };
}

function endingOf(status: string): ReceiptListQuestion['ending'] {
  if (BILLING_REASONS.includes(status)) return { billingReason: status };
  const [, hundreds, rest] = STATUS.exec(status) ?? [];
  if (hundreds === undefined || rest === undefined) {
    throw invalid(`status must be one such as 200 or 5xx, or one of ${BILLING_REASONS.join(', ')}`);
  }
  const first = Number(`${hundreds}${rest === 'xx' ? '00' : rest}`);
  return { answered: { first, last: rest === 'xx' ? first + 99 : first } };
}

function placeOf(pageToken: string): PagePlace {
  const place = decodePlace(pageToken);
  if (place === undefined || place.endedAtMs > MAX_UNIX_MS) {
    throw invalid('page_token must be one of an earlier answer');
  }
  return place;
}

function milliseconds(name: string, text: string): number {
  const value = Number(text);
  if (value < 0 || value > MAX_UNIX_MS) throw invalid(`${name} must be Unix milliseconds`);
  return value;
}

function invalid(message: string): ControlPlaneError {
  return new ControlPlaneError('invalid_argument', message);
}
