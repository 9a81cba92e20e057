import type { SettleBatchMessage } from '@model-gateway/contracts';
import { ControlPlaneError } from '../control-plane-error.ts';
import { countOutcomes } from './count-outcomes.ts';
import { parseSettledRequest, type SettledRequest } from './settled-request.ts';
import { KEEP_MS, type SettlementStore } from './settlement-store.ts';

const BATCH_ID = /^[\w-]{1,100}$/;

export interface SettleBatchContext {
  settlementStore: Pick<SettlementStore, 'add'>;
}

/**
 * Counts what a batch reports; a batch counts once, however often and wherever it is sent. Committed when this
 * resolves.
 * @returns how many of its records can never be stored and were left out
 * @throws ControlPlaneError invalid_argument for a batch without a usable id
 */
export async function settleBatch(
  { settlementStore }: SettleBatchContext,
  { batchId, records }: SettleBatchMessage,
): Promise<{ refused: number }> {
  if (!BATCH_ID.test(batchId)) throw new ControlPlaneError('invalid_argument', 'the batch has no usable id');
  const nowMs = Date.now();
  const requests = records
    .map(parseSettledRequest)
    .filter((request): request is SettledRequest => request !== undefined && !isTooOld(request, nowMs));
  await settlementStore.add(batchId, countOutcomes(requests, nowMs));
  return { refused: records.length - requests.length };
}

function isTooOld({ attempts }: SettledRequest, nowMs: number): boolean {
  return attempts.some(({ endedAtMs }) => endedAtMs < nowMs - KEEP_MS);
}
