import type { SettleBatchMessage } from '@model-gateway/contracts';
import type { Price } from '@model-gateway/shared';
import type { PriceBook } from '../billing/price-book.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { ClampedRecords } from './clamped-records.ts';
import { countOutcomes } from './count-outcomes.ts';
import { type ReportedRequest, readReportedRequest } from './reported-request.ts';
import { KEEP_MS, type PricedPart, priceRequest, type SettledPrices } from './settled-record.ts';
import type { SettledRecord, SettlementStore } from './settlement-store.ts';

const BATCH_ID = /^[\w-]{1,100}$/;

export interface SettleBatchContext {
  settlementStore: Pick<SettlementStore, 'settle' | 'handOver' | 'checkpoint' | 'countOutcomes'>;
  priceBook: Pick<PriceBook, 'find' | 'findList'>;
  clampedRecords: Pick<ClampedRecords, 'note'>;
}

/**
 * Stores and charges a batch and counts its outcomes, once, committed when this resolves. Stores every
 * record, whatever its values.
 * @throws ControlPlaneError invalid_argument (batch id)
 */
export async function settleBatch(
  { settlementStore, priceBook, clampedRecords }: SettleBatchContext,
  { batchId, records, checkpoints }: SettleBatchMessage,
): Promise<void> {
  if (!BATCH_ID.test(batchId)) throw invalidArgument('the batch has no usable id');
  const nowMs = Date.now();
  const read = (messages: typeof records) =>
    messages.map((message, index) => readReportedRequest(message, `${batchId}-${index}`));
  const requests = read(records);
  const ended = await priceRequests(priceBook, requests, nowMs);
  const running = await priceRequests(priceBook, read(checkpoints), nowMs);
  for (const request of requests) clampedRecords.note(request);
  if (running.length > 0) await settlementStore.checkpoint(running);
  const handedOver = ended.filter(isHandedOver);
  if (handedOver.length > 0) await settlementStore.handOver(handedOver);
  const final = ended.filter((record) => !isHandedOver(record));
  if (final.length > 0) {
    await settlementStore.settle(final);
    // The outcomes of a request that is handed over count with its final record.
    const recent = requests.filter((request) => !isTooOld(request, nowMs) && !isHandedOver(request));
    await settlementStore.countOutcomes(batchId, countOutcomes(recent, nowMs));
  }
}

async function priceRequests(
  priceBook: SettleBatchContext['priceBook'],
  requests: readonly ReportedRequest[],
  nowMs: number,
): Promise<SettledRecord[]> {
  const records: SettledRecord[] = [];
  for (const request of requests) {
    records.push(priceRequest(request, await findPrices(priceBook, request), nowMs));
  }
  return records;
}

/** Adds versions that never existed to the clamped fields of the request. */
async function findPrices(
  priceBook: SettleBatchContext['priceBook'],
  request: ReportedRequest,
): Promise<SettledPrices> {
  const parts: PricedPart[] = [];
  for (const part of request.parts) {
    const price = await findPrice(priceBook, part);
    if (price === 'unknown') request.clampedFields.add('price_version');
    // Parts of a free request are free as well.
    const isFree = request.priceVersion === undefined || price === 'unknown';
    parts.push({ ...part, price: isFree ? undefined : price });
  }
  const { priceListVersion } = request;
  const list = priceListVersion === undefined ? undefined : await priceBook.findList(priceListVersion);
  if (priceListVersion !== undefined && list === undefined) request.clampedFields.add('price_list_version');
  const price = await findPrice(priceBook, request);
  if (price !== 'unknown') return { price, parts, list };
  request.clampedFields.add('price_version');
  return { price: undefined, parts, list };
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
