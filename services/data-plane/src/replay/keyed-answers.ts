import { createHash } from 'node:crypto';
import type { Claim, ClaimedValues, ClaimResult } from '@model-gateway/limits';
import { idempotencyUnavailable, type SpentReason } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import type { ResponseCipher } from '../stored-responses/response-cipher.ts';
import type { NotRecorded } from './answer-recording.ts';
import { type AnswerHead, packAnswer, type RememberedAnswer, unpackAnswer } from './remembered-answer.ts';
import type { ReplayMetrics, StoredOutcome } from './replay-metrics.ts';
import { type FingerprintedBody, fingerprint } from './request-fingerprint.ts';
import type { RunningClaims } from './running-claims.ts';

export interface KeyedAnswersOptions {
  claims: ClaimedValues;
  running: RunningClaims;
  /** Derived from the pepper and, while it is replaced, from the previous one. */
  ciphers: readonly ResponseCipher[];
  fingerprintKeys: readonly Buffer[];
  metrics: ReplayMetrics;
}

type Answered = Extract<ClaimResult, { outcome: 'answered' }>;

const SPENT_REASON: Readonly<Record<NotRecorded, SpentReason>> = {
  incomplete: 'failed',
  too_long: 'too_long',
  no_room: 'not_stored',
};

/** Stores answers to requests with an Idempotency-Key in Redis, encrypted. An account reads only its own. */
export class KeyedAnswers {
  readonly #options: KeyedAnswersOptions;

  constructor(options: KeyedAnswersOptions) {
    this.#options = options;
  }

  /**
   * Claims a key of an account and seat at an endpoint for a request.
   * @throws GatewayError 503 if Redis does not respond
   */
  async claim(
    { record, req }: AuthenticatedExchange,
    key: string,
    body: FingerprintedBody,
  ): Promise<ClaimResult> {
    const { accountId, seatId } = record.key;
    const [path = ''] = (req.url ?? '').split('?', 1);
    const scope = [accountId, seatId ?? '', path, key];
    // Without the pepper, so that a key is still found after the pepper is replaced.
    const id = createHash('sha256').update(JSON.stringify(scope)).digest('base64url');
    const fingerprints = this.#options.fingerprintKeys.map((each) => fingerprint(each, scope, body));
    try {
      return await this.#options.claims.claim({ owner: accountId, id, requestId: record.id, fingerprints });
    } catch (error) {
      throw idempotencyUnavailable(error);
    }
  }

  /**
   * Reads an answer into memory of the exchange.
   * @returns undefined if it cannot be decrypted, or has expired
   * @throws GatewayError 503 without memory, or if Redis does not respond; ClientGone
   */
  async read(
    exchange: AuthenticatedExchange,
    { answer, bytes, name }: Answered,
    answerBudget: MemoryBudget,
  ): Promise<RememberedAnswer | undefined> {
    await claimMemory(exchange, answerBudget).take(2 * bytes, exchange.stop.signal);
    const sealed = answer ?? (await this.#options.claims.read(name).catch(unavailable));
    if (sealed === undefined) return undefined;
    for (const cipher of this.#options.ciphers) {
      const opened = cipher.of(exchange.record.key.accountId).open(sealed, name);
      if (opened !== undefined) return unpackAnswer(opened);
    }
    return undefined;
  }

  /** Renews a claim from now on. @returns a function that ends the renewals */
  renew(claim: Claim): () => void {
    return this.#options.running.add(claim);
  }

  /** Stores the answer of a claim, or why there is none. Never throws: the response goes out anyway. */
  async save(
    { accountId, requestId }: { accountId: string; requestId: string },
    claim: Claim,
    head: AnswerHead,
    body: readonly Buffer[] | NotRecorded,
  ): Promise<void> {
    const { ciphers, claims } = this.#options;
    await this.#end(requestId, async () => {
      if (typeof body === 'string') {
        await claims.fail(claim, SPENT_REASON[body]);
        return SPENT_REASON[body] === 'not_stored' ? 'no_room' : SPENT_REASON[body];
      }
      const sealed = ciphers[0]?.of(accountId).seal(packAnswer(head, body), claim.name);
      if (sealed === undefined) throw new Error('there is no pepper');
      if ((await claims.answer(claim, sealed)) === undefined) return 'stored';
      await claims.fail(claim, 'not_stored' satisfies SpentReason);
      return 'no_room';
    });
  }

  /**
   * Frees the key of a request that cost nothing, so that its retry is a new request. If it continued another
   * one, which may have been charged, its retry continues that one, too. Never throws.
   */
  async free(claim: Claim, requestId: string, isContinued: boolean): Promise<void> {
    const { claims } = this.#options;
    await this.#end(requestId, async () => {
      await (isContinued ? claims.handOn(claim) : claims.release(claim));
      return 'freed';
    });
  }

  async #end(requestId: string, work: () => Promise<StoredOutcome>): Promise<void> {
    const { metrics } = this.#options;
    try {
      metrics.stored.labels('idempotency', await work()).inc();
    } catch (error) {
      // The claim lapses, and a retry continues under the same request id.
      metrics.stored.labels('idempotency', 'redis_away').inc();
      metrics.redisAway(error, requestId);
    }
  }
}

function unavailable(error: unknown): never {
  throw idempotencyUnavailable(error);
}
