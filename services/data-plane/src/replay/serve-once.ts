import type { IncomingMessage } from 'node:http';
import type { Claim, ClaimResult } from '@model-gateway/limits';
import { assignRequestId, headerValues, withPatience } from '@model-gateway/service-kit';
import type { GatewayError } from '@model-gateway/shared';
import {
  IDEMPOTENCY_KEY,
  idempotencyFull,
  idempotencyInProgress,
  idempotencyMismatch,
  idempotencySpent,
  idempotencyUnavailable,
  idempotencyUnsupported,
  malformedIdempotencyKey,
  SPENT_REASONS,
  type SpentReason,
} from '@model-gateway/shared/errors';
import { type AuthenticatedExchange, ClientGone } from '../http/exchange.ts';
import { untilStopped } from '../http/until-stopped.ts';
import type { KeyWatch } from '../keys/key-watch.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import { modelOf, type RequestRecord } from '../request-record.ts';
import { refuseForbiddenResponse } from '../rules/refuse-forbidden-response.ts';
import { type AdmitContext, admitRequest, refuseInvalid } from '../steps/admit-request.ts';
import { AnswerRecording } from './answer-recording.ts';
import type { Replays } from './connect-replays.ts';
import type { KeyedAnswers } from './keyed-answers.ts';
import { answerHead, sendAnswer } from './remembered-answer.ts';
import type { KeyedOutcome } from './replay-metrics.ts';
import type { FingerprintedBody } from './request-fingerprint.ts';

const KEY_HEADER = IDEMPOTENCY_KEY.toLowerCase();
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
const REPLAYED = { 'idempotency-replayed': 'true' };
/** The request id of the first request, in the response to a repeated one. */
const FIRST_REQUEST = 'x-gateway-first-request-id';
/** How long the end of a paid answer waits for its charge: with a silent control plane, and at most. */
const COMMIT_MS = 5_000;
const MAX_COMMIT_MS = 30_000;

export interface ServeOnceContext extends AdmitContext {
  replays: Pick<Replays, 'keyed' | 'metrics'>;
  answerBudget: MemoryBudget;
  keyWatch: Pick<KeyWatch, 'patience'>;
  streamTimings: { readonly clientStallMs: number };
}

/** Returns true if the caller wants the request to run once, however often it is repeated. */
export function hasIdempotencyKey({ req }: AuthenticatedExchange): boolean {
  return req.headers[KEY_HEADER] !== undefined;
}

/** `serveOnce` for a request that may have no Idempotency-Key. */
export async function serveIfFirst(
  context: ServeOnceContext,
  exchange: AuthenticatedExchange,
  body: () => FingerprintedBody,
  run: () => Promise<void>,
): Promise<void> {
  await (hasIdempotencyKey(exchange) ? serveOnce(context, exchange, body, run) : run());
}

/**
 * Runs the rest of a request with an Idempotency-Key, or sends the answer to the first one again. The request
 * runs to its end although its client leaves, and stores its answer before the client has all of it. If
 * it continues a request whose process has died, sets `record.id` to that one's: the ledger charges each id
 * once.
 * @param body the parts that must be equal in a repeated request
 * @param run the remaining steps
 * @throws GatewayError 400, 409, 422, 429, 503; what `run` throws
 */
export async function serveOnce(
  context: ServeOnceContext,
  exchange: AuthenticatedExchange,
  body: () => FingerprintedBody,
  run: () => Promise<void>,
): Promise<void> {
  const { keyed } = context.replays;
  let key: string;
  try {
    key = readKey(exchange.req);
    if (keyed === undefined) throw idempotencyUnsupported();
  } catch (failure) {
    return await refuseInvalid(context, exchange, failure);
  }
  goOnWithoutClient(exchange);
  const { trace } = exchange.record;
  const claiming = keyed.claim(exchange, key, body());
  const result = await (trace?.script('claim', claiming) ?? claiming);
  if (result.outcome !== 'claimed') return await repeat(context, exchange, keyed, result);
  const isContinued = result.requestId !== exchange.record.id;
  count(context, isContinued ? 'continued' : 'first');
  if (isContinued) continueAs(exchange, result.requestId);
  await runOnce(context, exchange, { keyed, claim: result.claim, isContinued, run });
}

async function runOnce(
  context: ServeOnceContext,
  exchange: AuthenticatedExchange,
  {
    claim,
    isContinued,
    keyed,
    run,
  }: { claim: Claim; isContinued: boolean; keyed: KeyedAnswers; run: () => Promise<void> },
): Promise<void> {
  const { record } = exchange;
  const requestId = record.id;
  const owner = { accountId: record.key.accountId, requestId };
  const endRenewals = keyed.renew(claim);
  const recording = new AnswerRecording(exchange, context.answerBudget);
  try {
    await run();
    const recorded = await recording.body();
    await untilCharged(context, exchange);
    const saving = keyed.save(owner, claim, answerHead(exchange), recorded);
    await (record.trace?.script('save', saving) ?? saving);
  } catch (failure) {
    // An answer that is complete but not charged yet is neither sent nor stored: the claim lapses.
    const isUncommitted = record.outcome === 'completed' && record.settled !== undefined;
    if (!mayHaveCost(record)) await keyed.free(claim, requestId, isContinued);
    else if (!isUncommitted) await keyed.save(owner, claim, { headers: {} }, 'incomplete');
    throw failure;
  } finally {
    recording.finish();
    endRenewals();
  }
}

/** @throws GatewayError 400 */
function readKey(req: IncomingMessage): string {
  const [key = '', ...others] = headerValues(req, KEY_HEADER);
  if (others.length > 0 || !KEY.test(key)) throw malformedIdempotencyKey();
  return key;
}

/** Answers a request whose key is in use. It counts as a read. */
async function repeat(
  context: ServeOnceContext,
  exchange: AuthenticatedExchange,
  keyed: KeyedAnswers,
  result: Exclude<ClaimResult, { outcome: 'claimed' }>,
): Promise<void> {
  await admitRequest(context, exchange, { limitClass: 'reads', takesStream: false });
  if (result.outcome !== 'answered') {
    const { outcome, error } = refusalOf(result);
    count(context, outcome);
    throw error;
  }
  const answer = await keyed.read(exchange, result, context.answerBudget);
  if (answer === undefined) {
    count(context, 'spent');
    throw idempotencySpent(result.requestId, 'not_stored');
  }
  // The first request may have been sent with another key, or under other rules.
  if (answer.source !== undefined) {
    try {
      refuseForbiddenResponse(exchange.record, answer.source);
    } catch (failure) {
      count(context, 'forbidden');
      throw failure;
    }
  }
  count(context, 'replayed');
  const own = { ...REPLAYED, [FIRST_REQUEST]: result.requestId };
  sendAnswer(exchange, answer, { own, windowMs: context.streamTimings.clientStallMs });
}

function refusalOf(result: Exclude<ClaimResult, { outcome: 'claimed' | 'answered' }>): {
  outcome: KeyedOutcome;
  error: GatewayError;
} {
  switch (result.outcome) {
    case 'running':
      return { outcome: 'in_progress', error: idempotencyInProgress(result.runningMs) };
    case 'mismatch':
      return { outcome: 'mismatch', error: idempotencyMismatch() };
    case 'ended': {
      // Another release may know further reasons.
      const reason = isSpentReason(result.reason) ? result.reason : 'not_stored';
      return { outcome: 'spent', error: idempotencySpent(result.requestId, reason) };
    }
    case 'owner_full':
      return { outcome: 'account_full', error: idempotencyFull() };
    case 'redis_full':
      return {
        outcome: 'unavailable',
        error: idempotencyUnavailable(new Error('Redis has little memory left')),
      };
  }
}

function isSpentReason(reason: string): reason is SpentReason {
  return Object.hasOwn(SPENT_REASONS, reason);
}

/** Continues a request whose process has died: under its id, the ledger charges both of them once. */
function continueAs({ caller, record, req, res }: AuthenticatedExchange, requestId: string): void {
  record.id = requestId;
  assignRequestId(req, res, requestId);
  if (caller.requestIdHeader !== undefined) res.setHeader(caller.requestIdHeader, requestId);
}

/** From now on, a client that leaves does not end the request. A revoked key or a drain still does. */
function goOnWithoutClient(exchange: AuthenticatedExchange): void {
  const { stop } = exchange;
  stop.signal.throwIfAborted();
  exchange.stop = {
    signal: stop.signal,
    abort: (reason) => {
      if (!(reason instanceof ClientGone)) stop.abort(reason);
    },
  };
}

/**
 * Waits until the charge is committed, for a while and while nothing stops the request: an answer that is
 * sent again must have been charged.
 */
async function untilCharged(
  { keyWatch }: ServeOnceContext,
  { record, stop }: AuthenticatedExchange,
): Promise<void> {
  if (modelOf(record)?.price === undefined || record.settled === undefined) return;
  const patience = keyWatch.patience(COMMIT_MS, MAX_COMMIT_MS);
  const committed = withPatience(record.settled.committed, patience, () => new Error('not committed yet'));
  await untilStopped(committed, stop.signal).catch(() => undefined);
}

/** Returns false for a failed request that is known to cost nothing. */
function mayHaveCost({ costNanoUsd, hold, isFollowed }: RequestRecord): boolean {
  return isFollowed === true || (costNanoUsd ?? 0n) > 0n || (hold !== undefined && costNanoUsd === undefined);
}

function count({ replays }: ServeOnceContext, outcome: KeyedOutcome): void {
  replays.metrics.keyed.labels(outcome).inc();
}
