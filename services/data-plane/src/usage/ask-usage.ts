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
import type { KeyContext } from '../keys/key-context.ts';
import { keyOwner } from '../keys/key-owner.ts';
import type { KeyWatch } from '../keys/key-watch.ts';
import type { SettlementStream } from '../settlement/settlement-stream.ts';
import type { AskedUsage } from './parse-usage-query.ts';

/** How long a silent control plane is waited for, and how long one that is there, but slow. */
const QUIET_MS = 3_000;
const MOST_MS = 10_000;
/** A request is settled up to some 50 ms after its answer, also at another data plane. */
const RECEIPT_WAITS_MS = [20, 40, 80, 160, 200];

/** Where usage is asked for, and how long to wait for it. */
export interface UsageSource {
  client: ControlPlaneClient;
  keyWatch: Pick<KeyWatch, 'patience'>;
}

/**
 * @param signal ends the question, in the control plane and in its database, too
 * @throws GatewayError 400 for what the control plane finds wrong, 503 when it does not answer; the signal's
 *   reason
 */
export async function askUsage(
  { client, keyWatch }: UsageSource,
  key: KeyContext,
  { bucketWidth, ...asked }: AskedUsage,
  signal: StopSignal,
): Promise<GetUsageResponseMessage> {
  const { pageStart, pageAfter, ...request } = asked;
  try {
    return await client.call(
      keyWatch.patience(QUIET_MS, MOST_MS),
      'billing',
      'getUsage',
      {
        owner: keyOwner(key),
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
 * Asks for a receipt. The request may have ended just now. A missing receipt is asked for again when
 * everything that has ended here is committed, and for half a second after that, because the request may have
 * ended elsewhere.
 * @throws GatewayError 404 when there is none, 503 when the control plane does not answer; the signal's
 *   reason
 */
export async function askReceipt(
  { client, keyWatch, settlement }: UsageSource & { settlement: Pick<SettlementStream, 'committed'> },
  key: KeyContext,
  requestId: string,
  signal: StopSignal,
): Promise<ReceiptMessage> {
  const patience = keyWatch.patience(QUIET_MS, MOST_MS);
  let isCommitted = false;
  for (const waitMs of [...RECEIPT_WAITS_MS, undefined]) {
    signal.throwIfAborted();
    try {
      return await client.call(
        patience,
        'billing',
        'getReceipt',
        { requestId, owner: keyOwner(key) },
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

/** The control plane's message for its caller, without the status before it. */
function detailsOf(error: unknown): string {
  return error instanceof Error && 'details' in error ? String(error.details) : 'it was not understood';
}
