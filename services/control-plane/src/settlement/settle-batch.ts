import type { SettleBatchMessage } from '@model-gateway/contracts';

import type { Price } from '@model-gateway/shared';
import type { PriceBook } from '../billing/price-book.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { countOutcomes } from './count-outcomes.ts';
import { parseReportedRequest, type ReportedRequest } from './reported-request.ts';
import { KEEP_MS, type PricedPart, priceRequest, type SettledPrices } from './settled-record.ts';
import type { SettledRecord, SettlementStore } from './settlement-store.ts';

const BATCH_ID = /^[\w-]{1,100}$/;

export interface SettleBatchContext {
  settlementStore: Pick<SettlementStore, 'settle' | 'handOver' | 'checkpoint' | 'countOutcomes'>;
  priceBook: Pick<PriceBook, 'find'>;
}

/**
 * Stores and charges a batch and counts its outcomes, once, committed when this resolves.
 * @returns records that can never be stored
 * @throws ControlPlaneError invalid_argument (batch id)
 */
export async function settleBatch(
  { settlementStore, priceBook }: SettleBatchContext,
  { batchId, records, checkpoints }: SettleBatchMessage,
): Promise<{ refused: number }> {
  if (!BATCH_ID.test(batchId)) throw invalidArgument('the batch has no usable id');
  const nowMs = Date.now();
  const storable = (message: (typeof records)[number]) => parseReportedRequest(message) ?? [];
  const requests = records.flatMap(storable);
  const ended = await priceRequests(priceBook, requests, nowMs);
  const running = await priceRequests(priceBook, checkpoints.flatMap(storable), nowMs);
  if (running.length > 0) await settlementStore.checkpoint(running);
  const handedOver = ended.filter(isHandedOver);
  if (handedOver.length > 0) await settlementStore.handOver(handedOver);
  const final = ended.filter((record) => !isHandedOver(record));
  if (final.length > 0) {
    await settlementStore.settle(final);
    // The final record of a request that is handed over counts its outcomes.
    const recent = requests.filter((request) => !isTooOld(request, nowMs) && !isHandedOver(request));
    await settlementStore.countOutcomes(batchId, countOutcomes(recent, nowMs));
  }
  return { refused: records.length - ended.length };
}

/** Returns the records to store. A request with a price version that never existed is left out. */
async function priceRequests(
  priceBook: Pick<PriceBook, 'find'>,
  requests: readonly ReportedRequest[],
  nowMs: number,
): Promise<SettledRecord[]> {
  const records: SettledRecord[] = [];
  for (const request of requests) {
    const prices = await findPrices(priceBook, request);
    if (prices !== undefined) records.push(priceRequest(request, prices, nowMs));
  }
  return records;
}

/** @returns undefined when a price version never existed */
async function findPrices(
  priceBook: Pick<PriceBook, 'find'>,
  request: ReportedRequest,
): Promise<SettledPrices | undefined> {
  const parts: PricedPart[] = [];
  for (const part of request.parts) {
    const price = await findPrice(priceBook, part);
    if (price === 'unknown') return undefined;
    // Parts of a free request are free as well.
    parts.push({ ...part, price: request.priceVersion === undefined ? undefined : price });
  }
  const price = await findPrice(priceBook, request);
  return price === 'unknown' ? undefined : { price, parts };
}

/** @returns undefined: free of charge */
async function findPrice(
  priceBook: Pick<PriceBook, 'find'>,
  { modelId, priceVersion }: Pick<ReportedRequest, 'modelId' | 'priceVersion'>,
): Promise<Price | undefined | 'unknown'> {
  if (priceVersion === undefined) return undefined;
  return (await priceBook.find(modelId, priceVersion)) ?? 'unknown';
}

function isHandedOver({ followed }: Pick<SettledRecord, 'followed'>): boolean {
  return typeof followed === 'string';
}

function isTooOld({ attempts }: ReportedRequest, nowMs: number): boolean {
  return attempts.some(({ endedAtMs }) => endedAtMs < nowMs - KEEP_MS);
}
