import type { ListReceiptsRequestMessage } from '@model-gateway/contracts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { StatusRange } from './client-status-store.ts';
import { type LabelFilter, parseLabelFilters } from './label-query.ts';
import { type PageQuery, parsePageQuery } from './page-query.ts';

export interface ReceiptListQuery extends PageQuery {
  modelId: string | undefined;
  labels: readonly LabelFilter[];
  /** Undefined: all requests. */
  outcome: { clientStatus: StatusRange } | { billingReason: string } | undefined;
}

const BILLING_REASONS = ['completed', 'aborted_partial', 'upstream_failed_free', 'estimated'];
const STATUS = /^([1-5])(\d\d|xx)$/;

/** @throws ControlPlaneError invalid_argument */
export function parseReceiptListQuery(request: ListReceiptsRequestMessage): ReceiptListQuery {
  return {
    ...parsePageQuery(request),
    modelId: request.modelId,
    labels: parseLabelFilters(request.labels),
    outcome: request.status === undefined ? undefined : parseOutcome(request.status),
  };
}

function parseOutcome(status: string): ReceiptListQuery['outcome'] {
  if (BILLING_REASONS.includes(status)) return { billingReason: status };
  const [, hundreds, rest] = STATUS.exec(status) ?? [];
  if (hundreds === undefined || rest === undefined) {
    throw invalidArgument(`status must be one such as 200 or 5xx, or one of ${BILLING_REASONS.join(', ')}`);
  }
  const first = Number(`${hundreds}${rest === 'xx' ? '00' : rest}`);
  return { clientStatus: { first, last: rest === 'xx' ? first + 99 : first } };
}
