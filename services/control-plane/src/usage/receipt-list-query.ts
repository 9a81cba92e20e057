import type { ListReceiptsRequestMessage } from '@model-gateway/contracts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { StatusRange } from './client-status-store.ts';
import { type LabelFilter, parseLabelFilters } from './label-query.ts';
import { type PageQuery, parsePageQuery } from './page-query.ts';

/** Filters that requests must all match; absent: all. */
export interface ReceiptFilter {
  requestId?: string | undefined;
  teamId?: string | undefined;
  seatId?: string | undefined;
  capability?: string | undefined;
  /** A provider that was asked. */
  providerId?: string | undefined;
  /** Error code of the response, or of an attempt. */
  errorCode?: string | undefined;
  billingReason?: string | undefined;
  /** Nano-USD. */
  minCost?: bigint | undefined;
  /** Duration of all attempts together. */
  minLatencyMs?: number | undefined;
}

/** The message of gRPC, with what only the management API filters by. */
export type ReceiptListRequest = ListReceiptsRequestMessage & ReceiptFilter;

export interface ReceiptListQuery extends PageQuery, ReceiptFilter {
  modelId: string | undefined;
  labels: readonly LabelFilter[];
  /** Undefined: all requests. */
  outcome: { clientStatus: StatusRange } | { billingReason: string } | undefined;
}

const BILLING_REASONS = ['completed', 'aborted_partial', 'upstream_failed_free', 'estimated', 'cache_hit'];
const STATUS = /^([1-5])(\d\d|xx)$/;

/** @throws ControlPlaneError invalid_argument */
export function parseReceiptListQuery(request: ReceiptListRequest): ReceiptListQuery {
  const { requestId, teamId, seatId, capability, providerId, errorCode, billingReason, minCost } = request;
  return {
    ...parsePageQuery(request),
    ...{ requestId, teamId, seatId, capability, providerId, errorCode, billingReason, minCost },
    minLatencyMs: request.minLatencyMs,
    modelId: request.modelId,
    labels: parseLabelFilters(request.labels),
    outcome: request.status === undefined ? undefined : parseOutcome(request.status),
  };
}

function parseOutcome(status: string): ReceiptListQuery['outcome'] {
  if (BILLING_REASONS.includes(status)) return { billingReason: status };
  const clientStatus = parseStatusRange(status);
  if (clientStatus !== undefined) return { clientStatus };
  throw invalidArgument(`status must be one such as 200 or 5xx, or one of ${BILLING_REASONS.join(', ')}`);
}

/** Reads `200` or `5xx`; undefined: it is neither. */
export function parseStatusRange(status: string): StatusRange | undefined {
  const [, hundreds, rest] = STATUS.exec(status) ?? [];
  if (hundreds === undefined || rest === undefined) return undefined;
  const first = Number(`${hundreds}${rest === 'xx' ? '00' : rest}`);
  return { first, last: rest === 'xx' ? first + 99 : first };
}
