import { setTimeout as wait } from 'node:timers/promises';
import {
  type ControlPlaneClient,
  type GetUsageResponseMessage,
  GrpcStatus,
  grpcStatus,
  type ReceiptMessage,
} from '@model-gateway/contracts';
import type { StopSignal } from '@model-gateway/service-kit';
import { BUCKET_WIDTHS } from '@model-gateway/shared';
import { receiptNotFound, unanswerableQuery, usageUnreadable } from '@model-gateway/shared/errors';
import { type KeyContext, keyOwner } from '../keys/key-context.ts';
import type { KeyWatch } from '../keys/key-watch.ts';
import type { SettlementStream } from '../settlement/settlement-stream.ts';
import type { RequestedUsage } from './parse-usage-query.ts';

/** How long to wait for a silent control plane, and at most for a slow one. */
const QUIET_MS = 3_000;
const MAX_MS = 10_000;
/** A request is settled up to 50 ms after its response, also by another data plane. */
const RECEIPT_WAITS_MS = [20, 40, 80, 160, 200];

/** The control plane, and how long to wait for it. */
export interface UsageSource {
  controlPlane: ControlPlaneClient;
  keyWatch: Pick<KeyWatch, 'patience'>;
}

/**
 * Fetches usage from the control plane.
 * @param signal also cancels the control plane's query
 * @throws GatewayError 400 if the control plane rejects the query, 503 if it does not respond; the signal's
 *   reason
 */
export async function fetchUsage(
  { controlPlane, keyWatch }: UsageSource,
  key: KeyContext,
  { bucketWidth, ...requested }: RequestedUsage,
  signal: StopSignal,
): Promise<GetUsageResponseMessage> {
  const { pageStart, pageAfter, ...request } = requested;
  try {
    return await controlPlane.call(
      keyWatch.patience(QUIET_MS, MAX_MS),
      'billing',
      'getUsage',
      {
        owner: keyOwner(key),
        keyId: key.keyId,
        ...request,
        bucketWidth: BUCKET_WIDTHS[bucketWidth].seconds,
        ...(pageStart === undefined ? {} : { pageStart }),
        ...(pageAfter === undefined ? {} : { pageAfter }),
      },
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    if (grpcStatus(error) !== GrpcStatus.INVALID_ARGUMENT) throw usageUnreadable(error);
    throw unanswerableQuery(detailsOf(error));
  }
}

/**
 * Fetches a receipt. A missing one is retried once everything that ended here is committed, and for half a
 * second more, because the request may have ended elsewhere.
 * @throws GatewayError 404 if there is none, 503 if the control plane does not respond; the signal's reason
 */
export async function fetchReceipt(
  { controlPlane, keyWatch, settlement }: UsageSource & { settlement: Pick<SettlementStream, 'committed'> },
  key: KeyContext,
  requestId: string,
  signal: StopSignal,
): Promise<ReceiptMessage> {
  const patience = keyWatch.patience(QUIET_MS, MAX_MS);
  let isCommitted = false;
  for (const waitMs of [...RECEIPT_WAITS_MS, undefined]) {
    signal.throwIfAborted();
    try {
      return await controlPlane.call(
        patience,
        'billing',
        'getReceipt',
        { requestId, owner: keyOwner(key), keyId: key.keyId },
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (grpcStatus(error) !== GrpcStatus.NOT_FOUND) throw usageUnreadable(error);
    }
    if (!isCommitted) await settlement.committed(patience);
    isCommitted = true;
    if (waitMs !== undefined) await wait(waitMs);
  }
  throw receiptNotFound();
}

function detailsOf(error: unknown): string {
  return error instanceof Error && 'details' in error ? String(error.details) : 'it was not understood';
}
