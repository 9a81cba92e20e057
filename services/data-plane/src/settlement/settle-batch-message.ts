import { randomUUID } from 'node:crypto';
import type { Units } from '@model-gateway/shared';
import { ProtoWriter } from './proto-writer.ts';
import type { SettledAttempt, SettledPart, SettledRequest } from './settled-request.ts';

/** Fields of SettleBatch in proto/gateway/v1/billing.proto. */
const BATCH_ID = 1;
const RECORDS = 2;
const CHECKPOINTS = 3;

/**
 * A SettleBatch message in wire format. Each record is encoded once, when it is added: without a writer of its
 * own, proto-loader converts, copies and measures each field first, which costs five times as much.
 */
export class SettleBatchMessage {
  readonly id = randomUUID();
  readonly #out = new ProtoWriter();

  constructor() {
    this.#out.text(BATCH_ID, this.id);
  }

  /** The message so far. */
  get bytes(): Buffer {
    return this.#out.bytes;
  }

  /** @throws RangeError if a number cannot be encoded; the message is then as before */
  addRecord(settled: SettledRequest): void {
    this.#add(RECORDS, settled);
  }

  /** @throws RangeError if a number cannot be encoded; the message is then as before */
  addCheckpoint(running: SettledRequest): void {
    this.#add(CHECKPOINTS, running);
  }

  #add(field: number, settled: SettledRequest): void {
    const { length } = this.#out;
    try {
      const start = this.#out.open(field);
      writeSettledRequest(this.#out, settled);
      this.#out.close(start);
    } catch (error) {
      this.#out.truncate(length);
      throw error;
    }
  }
}

function writeSettledRequest(out: ProtoWriter, settled: SettledRequest): void {
  const { budgets, owner, parts, tags, units } = settled;
  out.text(1, settled.requestId);
  out.text(2, settled.modelId);
  for (const attempt of settled.attempts) writeAttempt(out, 3, attempt);
  const ownerStart = out.open(4);
  out.text(1, owner.accountId);
  out.text(2, owner.seatId);
  out.text(3, owner.teamId);
  out.close(ownerStart);
  out.text(5, settled.keyId);
  out.text(6, settled.capability);
  out.integer(7, settled.priceVersion);
  if (units !== undefined) writeUnits(out, 8, units);
  out.text(9, settled.usageSource);
  out.text(10, settled.billingReason);
  out.integer(11, settled.held);
  out.text(12, settled.allowanceId);
  out.integer(13, settled.clientStatus);
  out.text(14, settled.clientErrorCode);
  if (parts !== undefined) for (const part of parts) writePart(out, 15, part);
  out.integer(16, settled.endedAtMs);
  out.flag(17, settled.isClamped);
  out.text(18, settled.followed);
  if (tags !== undefined) for (const name of Object.keys(tags)) writeEntry(out, 19, name, tags[name]);
  out.text(20, settled.endUser);
  out.text(21, settled.session);
  out.text(22, settled.affinity);
  if (budgets !== undefined) for (const budget of budgets) out.text(23, budget);
}

function writeAttempt(out: ProtoWriter, field: number, attempt: SettledAttempt): void {
  const start = out.open(field);
  out.text(1, attempt.providerId);
  out.text(2, attempt.outcome);
  out.double(3, attempt.latencyMs);
  out.double(4, attempt.timeToFirstTokenMs);
  out.integer(5, attempt.endedAtMs);
  out.integer(6, attempt.httpStatus);
  out.text(7, attempt.errorCode);
  out.double(8, attempt.silentMs);
  out.flag(9, attempt.streamed);
  out.text(10, attempt.credentialEnv);
  out.text(11, attempt.modelId);
  out.text(12, attempt.error);
  out.text(13, attempt.operatorError);
  out.close(start);
}

function writePart(out: ProtoWriter, field: number, part: SettledPart): void {
  const start = out.open(field);
  out.text(1, part.modelId);
  out.integer(2, part.priceVersion);
  writeUnits(out, 3, part.units);
  out.close(start);
}

function writeUnits(out: ProtoWriter, field: number, units: Units): void {
  const start = out.open(field);
  out.count(1, units.inputTokens);
  out.count(2, units.cachedInputTokens);
  out.count(3, units.outputTokens);
  out.count(4, units.images);
  out.count(5, units.characters);
  out.count(6, units.audioMs);
  out.count(7, units.searchUnits);
  out.count(8, units.cacheWriteTokens);
  out.count(9, units.cacheWrite1hTokens);
  out.count(10, units.audioInputTokens);
  out.count(11, units.imageInputTokens);
  out.count(12, units.reasoningTokens);
  out.count(13, units.audioOutputTokens);
  out.count(14, units.imageOutputTokens);
  out.count(15, units.webSearchRequests);
  out.count(16, units.toolCalls);
  out.close(start);
}

/** Writes an entry of a map. */
function writeEntry(out: ProtoWriter, field: number, name: string, value: string | undefined): void {
  const start = out.open(field);
  out.text(1, name);
  out.text(2, value);
  out.close(start);
}
