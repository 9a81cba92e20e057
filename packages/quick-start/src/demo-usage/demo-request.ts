import {
  type Capability,
  costOf,
  ERROR_CODES,
  type ErrorCode,
  maxCostOf,
  NO_UNITS,
  type Units,
} from '@model-gateway/shared';
import { type DemoAnswer, demoAnswer } from './demo-answer.ts';
import type { DemoModel } from './demo-models.ts';
import { pick, type Random, skewed } from './seeded-random.ts';

/** A request to be settled (SettledRecord), without its id, account and key. */
export interface DemoRequest extends Course {
  modelId: string;
  capability: Capability;
  /** Null when the request was free of charge. */
  priceVersion: number | null;
  held: string;
  cost: string;
  /** ISO 8601 text. */
  endedAt: string;
}

/** How a request went, and what it consumed. */
interface Course extends Units {
  /** Null when nothing was consumed. */
  usageSource: 'provider' | 'gateway' | 'estimated' | null;
  billingReason: 'completed' | 'aborted_partial' | 'upstream_failed_free';
  attempts: Attempt[];
  clientStatus: number;
  clientErrorCode: ErrorCode | null;
}

interface Attempt {
  providerId: string;
  httpStatus: number | null;
  errorCode: ErrorCode | null;
  durationMs: number;
  timeToFirstTokenMs: number | null;
}

/**
 * Shares of requests whose provider fails, of those whose first provider fails, and of streams that are
 * interrupted.
 */
const FAILED = 0.015;
const RETRIED = 0.015;
const INTERRUPTED = 0.03;

/** The answers of failing providers, and how often each occurs. */
const FAILURES: readonly (readonly [Failure, weight: number])[] = [
  [{ httpStatus: 503, errorCode: 'upstream_error', minMs: 40, maxMs: 900 }, 5],
  [{ httpStatus: 429, errorCode: 'upstream_rate_limited', minMs: 20, maxMs: 120 }, 3],
  [{ httpStatus: null, errorCode: 'upstream_timeout', minMs: 30_000, maxMs: 30_050 }, 1],
];
interface Failure {
  httpStatus: number | null;
  errorCode: ErrorCode;
  minMs: number;
  maxMs: number;
}

/** The response to the caller, also of an interrupted stream: its head was already sent. */
const ANSWERED = { clientStatus: 200, clientErrorCode: null };

/** Output tokens for which a chat reserves money, unless it uses more. */
const USUAL_MAX_TOKENS = 1_024;

/** @param endedAtMs Unix milliseconds */
export function demoRequest(
  model: DemoModel,
  { streamed, endedAtMs }: { streamed: boolean; endedAtMs: number },
  random: Random,
): DemoRequest {
  const answer = demoAnswer(model, streamed, random);
  const went = course(model, answer, random);
  return {
    modelId: model.id,
    capability: model.capability,
    priceVersion: model.price?.version ?? null,
    ...went,
    held: String(model.price === undefined ? 0n : maxCostOf(maxUnitsOf(model, answer.units), model.price.of)),
    cost: String(model.price === undefined ? 0n : costOf(went, model.price.of)),
    endedAt: new Date(endedAtMs).toISOString(),
  };
}

function course(model: DemoModel, answer: DemoAnswer, random: Random): Course {
  const [first = '', second] = model.providerIds;
  const chance = random();
  if (chance < FAILED) {
    const earlier = second === undefined ? [] : [failedAttempt(first, random)];
    const last = failedAttempt(second ?? first, random);
    return {
      ...NO_UNITS,
      usageSource: null,
      billingReason: 'upstream_failed_free',
      attempts: [...earlier, last],
      clientStatus: ERROR_CODES[last.errorCode].status,
      clientErrorCode: last.errorCode,
    };
  }
  if (answer.timeToFirstTokenMs !== undefined && chance > 1 - INTERRUPTED) {
    return interrupted(first, answer, answer.timeToFirstTokenMs, random);
  }
  const { units, usageSource } = answer;
  const attempts =
    second !== undefined && chance < FAILED + RETRIED
      ? [failedAttempt(first, random), completedAttempt(second, answer)]
      : [completedAttempt(first, answer)];
  return { ...units, usageSource, billingReason: 'completed', attempts, ...ANSWERED };
}

/** Returns a stream whose client went away. It is billed for what the client got, and that is estimated. */
function interrupted(
  providerId: string,
  { units, durationMs }: DemoAnswer,
  timeToFirstTokenMs: number,
  random: Random,
): Course {
  const share = 0.1 + 0.7 * random();
  const partMs = Math.round(timeToFirstTokenMs + (durationMs - timeToFirstTokenMs) * share);
  return {
    ...units,
    cachedInputTokens: 0,
    outputTokens: Math.max(1, Math.floor(units.outputTokens * share)),
    usageSource: 'estimated',
    billingReason: 'aborted_partial',
    attempts: [{ providerId, httpStatus: 200, errorCode: null, durationMs: partMs, timeToFirstTokenMs }],
    ...ANSWERED,
  };
}

function failedAttempt(providerId: string, random: Random): Attempt & { errorCode: ErrorCode } {
  const { httpStatus, errorCode, minMs, maxMs } = pick(random, FAILURES);
  const durationMs = skewed(random, minMs, maxMs);
  return { providerId, httpStatus, errorCode, durationMs, timeToFirstTokenMs: null };
}

function completedAttempt(providerId: string, { durationMs, timeToFirstTokenMs }: DemoAnswer): Attempt {
  return {
    providerId,
    httpStatus: 200,
    errorCode: null,
    durationMs,
    timeToFirstTokenMs: timeToFirstTokenMs ?? null,
  };
}

/** Returns the units for which money is reserved before the real consumption is known. */
function maxUnitsOf({ capability, maxOutputTokens = USUAL_MAX_TOKENS }: DemoModel, units: Units): Units {
  if (capability !== 'chat' && capability !== 'completions') return units;
  const bound = Math.min(maxOutputTokens, USUAL_MAX_TOKENS);
  return { ...units, cachedInputTokens: 0, outputTokens: Math.max(units.outputTokens, bound) };
}
