import { costOf, type ErrorCode, NO_UNITS, type Units } from '@model-gateway/shared';
import type { UsageRow } from '../settlement/usage-row.ts';
import { clientAnswer } from '../usage/client-answer.ts';
import { type DemoAnswer, demoAnswer } from './demo-answer.ts';
import type { DemoModel } from './demo-models.ts';
import { pick, type Random, skewed } from './seeded-random.ts';

/** A usage record without whose it is. */
export type DemoRequest = Omit<
  UsageRow,
  'requestId' | 'accountId' | 'seatId' | 'teamId' | 'keyId' | 'allowanceId'
>;

type Attempt = DemoRequest['attempts'][number];

/** Shares of requests whose provider fails, whose first provider fails, and of streams that are interrupted. */
const FAILED = 0.015;
const RETRIED = 0.015;
const INTERRUPTED = 0.03;

/** What providers answer that fail, and how often each. */
const FAILURES: readonly (readonly [Failure, weight: number])[] = [
  [{ httpStatus: 503, errorCode: 'upstream_error', leastMs: 40, mostMs: 900 }, 5],
  [{ httpStatus: 429, errorCode: 'upstream_rate_limited', leastMs: 20, mostMs: 120 }, 3],
  [{ httpStatus: null, errorCode: 'upstream_timeout', leastMs: 30_000, mostMs: 30_050 }, 1],
];
interface Failure {
  httpStatus: number | null;
  errorCode: ErrorCode;
  leastMs: number;
  mostMs: number;
}

/** Of answers that were interrupted, too: their head was out. */
const OK = 200;

/** What chats set money aside for, where they do not consume more. */
const USUAL_MAX_TOKENS = 1_024;

/** @param endedAtMs Unix milliseconds */
export function demoRequest(
  model: DemoModel,
  { streamed, endedAtMs }: { streamed: boolean; endedAtMs: number },
  random: Random,
): DemoRequest {
  const answer = demoAnswer(model, streamed, random);
  const { units, usageSource, billingReason, attempts } = course(model, answer, random);
  const { clientStatus, clientErrorCode } = clientAnswer({
    billingReason,
    attempts,
    clientStatus: null,
    clientErrorCode: null,
  });
  const costWith = (each: Units) => (model.price === undefined ? 0n : costOf(each, model.price.of));
  return {
    modelId: model.id,
    capability: model.capability,
    priceVersion: model.price?.version ?? null,
    ...units,
    usageSource,
    billingReason,
    held: String(costWith(mostOf(model, answer.units))),
    cost: String(costWith(units)),
    attempts,
    endedAt: new Date(endedAtMs).toISOString(),
    clientStatus: clientStatus ?? OK,
    clientErrorCode: clientErrorCode ?? null,
  };
}

type Course = Pick<DemoRequest, 'usageSource' | 'billingReason' | 'attempts'> & { units: Units };

/** How the request went. */
function course(model: DemoModel, answer: DemoAnswer, random: Random): Course {
  const [first = '', second] = model.providerIds;
  const chance = random();
  if (chance < FAILED) {
    const providers = second === undefined ? [first] : [first, second];
    const attempts = providers.map((providerId) => failedAttempt(providerId, random));
    return { units: NO_UNITS, usageSource: null, billingReason: 'upstream_failed_free', attempts };
  }
  if (answer.timeToFirstTokenMs !== undefined && chance > 1 - INTERRUPTED) {
    return interrupted(first, answer, answer.timeToFirstTokenMs, random);
  }
  const { units, usageSource } = answer;
  const attempts =
    second !== undefined && chance < FAILED + RETRIED
      ? [failedAttempt(first, random), completedAttempt(second, answer)]
      : [completedAttempt(first, answer)];
  return { units, usageSource, billingReason: 'completed', attempts };
}

/** A stream whose client went away: billed for what it got, which only an estimate knows. */
function interrupted(
  providerId: string,
  { units, durationMs }: DemoAnswer,
  timeToFirstTokenMs: number,
  random: Random,
): Course {
  const share = 0.1 + 0.7 * random();
  const partMs = Math.round(timeToFirstTokenMs + (durationMs - timeToFirstTokenMs) * share);
  return {
    units: {
      ...units,
      cachedInputTokens: 0,
      outputTokens: Math.max(1, Math.floor(units.outputTokens * share)),
    },
    usageSource: 'estimated',
    billingReason: 'aborted_partial',
    attempts: [{ providerId, httpStatus: 200, errorCode: null, durationMs: partMs, timeToFirstTokenMs }],
  };
}

function failedAttempt(providerId: string, random: Random): Attempt {
  const { httpStatus, errorCode, leastMs, mostMs } = pick(random, FAILURES);
  const durationMs = skewed(random, leastMs, mostMs);
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

/** What money is set aside for before it is known what a request consumes. */
function mostOf({ capability, maxOutputTokens = USUAL_MAX_TOKENS }: DemoModel, units: Units): Units {
  if (capability !== 'chat') return units;
  const bound = Math.min(maxOutputTokens, USUAL_MAX_TOKENS);
  return { ...units, cachedInputTokens: 0, outputTokens: Math.max(units.outputTokens, bound) };
}
