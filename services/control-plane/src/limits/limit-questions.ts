import type { LimitReportMessage } from '@model-gateway/contracts';
import { PatientTimer } from '@model-gateway/service-kit';
import type { KeyFeed, Watcher } from '../data-planes/key-feed.ts';
import type { LimitUses } from './limit-uses.ts';
import type { LimitedHolderKey } from './limited-key-store.ts';

/** A data plane answers from its memory, at once. */
const DEADLINE_MS = 1_000;

interface OpenQuestion {
  /** Those that have not answered. */
  waitingFor: Set<Watcher>;
  reports: LimitReportMessage[];
  answered: () => void;
}

/** Asks the data planes that watch here what keys use of their limits, where each counts for itself. */
export class LimitQuestions {
  readonly #keyFeed: Pick<KeyFeed, 'sendLimitQuestion'>;
  readonly #open = new Map<string, OpenQuestion>();
  /** The questions that are under way, by account. */
  readonly #running = new Map<string, Promise<LimitUses>>();
  #lastId = 0;

  constructor(keyFeed: Pick<KeyFeed, 'sendLimitQuestion'>) {
    this.#keyFeed = keyFeed;
  }

  /**
   * The sums over all of them. Whoever asks about an account while that is being asked gets the same answer:
   * the stream also brings revocations, which one account must not hold up.
   * @param keys of one account
   * @returns nothing of a key when nobody watches here, or one of them does not say in time what it counts of
   *   it
   */
  ask(keys: readonly LimitedHolderKey[]): Promise<LimitUses> {
    const accountId = keys[0]?.accountId ?? '';
    let asking = this.#running.get(accountId);
    if (asking === undefined) {
      asking = this.#ask(keys).finally(() => this.#running.delete(accountId));
      this.#running.set(accountId, asking);
    }
    return asking;
  }

  async #ask(keys: readonly LimitedHolderKey[]): Promise<LimitUses> {
    this.#lastId += 1;
    const questionId = String(this.#lastId);
    const watchers = this.#keyFeed.sendLimitQuestion({ questionId, keys: keys.map(keyMessage) });
    const reports = await this.#collect(questionId, watchers);
    if (watchers.length === 0 || reports.length < watchers.length) return new Map();
    return addUp(reports);
  }

  /** Takes in a report. One of a data plane that was not asked, or that is late, changes nothing. */
  answer(watcher: Watcher, report: LimitReportMessage): void {
    const question = this.#open.get(report.questionId);
    if (question?.waitingFor.delete(watcher) !== true) return;
    question.reports.push(report);
    if (question.waitingFor.size === 0) question.answered();
  }

  async #collect(questionId: string, watchers: readonly Watcher[]): Promise<LimitReportMessage[]> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const question = { waitingFor: new Set(watchers), reports: [], answered: resolve };
    if (watchers.length === 0) return question.reports;
    this.#open.set(questionId, question);
    const deadline = new PatientTimer(DEADLINE_MS, resolve);
    await promise;
    deadline.clear();
    this.#open.delete(questionId);
    return question.reports;
  }
}

/** Only what every report has. */
function addUp(reports: readonly LimitReportMessage[]): LimitUses {
  const byKey = Map.groupBy(
    reports.flatMap(({ keys }) => keys),
    ({ keyId }) => keyId,
  );
  const uses: LimitUses = new Map();
  for (const [keyId, ofKey] of byKey) {
    if (ofKey.length < reports.length) continue;
    const used = new Map<string, number>();
    for (const { policies } of ofKey) {
      for (const policy of policies) used.set(policy.name, (used.get(policy.name) ?? 0) + policy.used);
    }
    uses.set(keyId, used);
  }
  return uses;
}

function keyMessage({ keyId, accountId, seatId, teamId, limits }: LimitedHolderKey) {
  const { teamPerMinute, ...ofKey } = limits;
  return {
    keyId,
    accountId,
    ...(seatId === undefined ? {} : { seatId }),
    ...(teamId === undefined ? {} : { teamId }),
    limits: { ...ofKey, ...(teamPerMinute === undefined ? {} : { teamPerMinute }) },
  };
}
