import type { LimitReportMessage } from '@model-gateway/contracts';
import type { RateRules } from '@model-gateway/limits';
import { PatientTimer } from '@model-gateway/service-kit';
import type { KeyFeed, Watcher } from '../data-planes/key-feed.ts';
import { omitAbsent } from '../omit-absent.ts';
import type { LimitedHolderKey } from './limited-key-store.ts';

const DEADLINE_MS = 1_000;

/** Used requests and streams, by key id and limit name. */
export type LimitUses = Map<string, ReadonlyMap<string, number>>;

interface OpenQuestion {
  waitingFor: Set<Watcher>;
  reports: LimitReportMessage[];
  answered: () => void;
}

/**
 * Asks the connected data planes how much of its limits each key uses. Needed without Redis, where each data
 * plane counts for itself.
 */
export class LimitQuestions {
  readonly #keyFeed: Pick<KeyFeed, 'sendLimitQuestion'>;
  readonly #open = new Map<string, OpenQuestion>();
  readonly #running = new Map<string, Promise<LimitUses>>();
  #lastId = 0;

  constructor(keyFeed: Pick<KeyFeed, 'sendLimitQuestion'>) {
    this.#keyFeed = keyFeed;
  }

  /**
   * Sums the replies of all data planes. Shares one question per account, because the stream also carries
   * revocations.
   * @param keys keys of one account
   * @returns without keys that a data plane did not report in time
   */
  ask(keys: readonly LimitedHolderKey[]): Promise<LimitUses> {
    const accountId = keys[0]?.accountId ?? '';
    const running =
      this.#running.get(accountId) ?? this.#ask(keys).finally(() => this.#running.delete(accountId));
    this.#running.set(accountId, running);
    return running;
  }

  async #ask(keys: readonly LimitedHolderKey[]): Promise<LimitUses> {
    this.#lastId += 1;
    const questionId = String(this.#lastId);
    const watchers = this.#keyFeed.sendLimitQuestion({ questionId, keys: keys.map(limitedKeyMessage) });
    const reports = await this.#collect(questionId, watchers);
    if (watchers.length === 0 || reports.length < watchers.length) return new Map();
    return addUp(reports);
  }

  /** Ignores replies that are late or unrequested. */
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

/** Sums only keys in every report. */
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

/** Rules that do not limit rates, left empty: they matter only to requests. */
const NO_RULES = {
  models: [],
  providers: [],
  endpoints: [],
  networks: [],
  budgets: [],
  requireTags: [],
  requireEndUser: false,
};

function limitedKeyMessage({ keyId, accountId, seatId, teamId, limits, rules }: LimitedHolderKey) {
  const { teamPerMinute, ...ofKey } = limits;
  return {
    keyId,
    accountId,
    ...omitAbsent({ seatId, teamId }),
    payer: [],
    limits: { ...ofKey, ...omitAbsent({ teamPerMinute }) },
    rules: rules === undefined ? null : { ...NO_RULES, ...rateRulesMessage(rules) },
    tags: {},
    endUsers: null,
  };
}

function rateRulesMessage({ requestsPerMinute, tokensPerMinute }: RateRules) {
  return omitAbsent({
    requestsPerMinute: requestsPerMinute?.toString(),
    tokensPerMinute: tokensPerMinute?.toString(),
  });
}
