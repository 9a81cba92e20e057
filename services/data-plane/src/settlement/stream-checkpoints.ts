import { StaggeredInterval } from '@model-gateway/service-kit';
import type { Exchange } from '../http/exchange.ts';
import type { AnswerRelay } from '../upstream/capability-call.ts';
import { chargeFollowed, type FollowedResponse, withFollowed } from './followed-response.ts';
import type { SettledRequest } from './settled-request.ts';
import { settledRequestOf } from './settled-request-of.ts';
import type { SettlementStream } from './settlement-stream.ts';

/** If this process is killed, at most this much of a running stream is not charged. */
const INTERVAL_MS = 3_000;

type Followed = Pick<Exchange, 'record'>;

interface Running {
  exchange: Followed;
  answer: Pick<AnswerRelay, 'usage' | 'tick'>;
  response: (() => FollowedResponse | undefined) | undefined;
}

/** Reports every few seconds what the running paid requests have delivered so far. */
export class StreamCheckpoints {
  readonly #settlement: Pick<SettlementStream, 'checkpoint'>;
  readonly #reports: StaggeredInterval<Running>;

  constructor(settlement: Pick<SettlementStream, 'checkpoint'>) {
    this.#settlement = settlement;
    this.#reports = new StaggeredInterval(INTERVAL_MS, (running) => this.#report(running));
  }

  start(): void {
    this.#reports.start();
  }

  close(): void {
    this.#reports.stop();
  }

  /**
   * Follows a request that holds money.
   * @param response returns what another data plane can follow, if this process is killed
   * @returns a function that ends this, to call before settling
   */
  follow(
    exchange: Followed,
    answer: Pick<AnswerRelay, 'usage' | 'tick'>,
    response?: () => FollowedResponse | undefined,
  ): () => void {
    if (exchange.record.hold === undefined) return () => undefined;
    return this.#reports.add({ exchange, answer, response });
  }

  #report(running: readonly Running[]): void {
    const reports: SettledRequest[] = [];
    for (const { exchange, answer, response } of running) {
      answer.tick?.();
      const followed = response?.();
      const usage = followed ? chargeFollowed(followed, 'not_learnt').usage : answer.usage(false);
      if (usage === undefined && followed === undefined) continue;
      const report = settledRequestOf(exchange.record, { usage, outcome: exchange.record.outcome });
      if (report !== undefined)
        reports.push(followed === undefined ? report : withFollowed(report, followed));
    }
    if (reports.length > 0) this.#settlement.checkpoint(reports);
  }
}
