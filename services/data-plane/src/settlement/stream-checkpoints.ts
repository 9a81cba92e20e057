import type { Exchange } from '../request-record.ts';
import type { AnswerRelay } from '../upstream/capability-call.ts';
import type { SettledRequest } from './settled-request.ts';
import { settledRequestOf } from './settled-request-of.ts';
import type { SettlementStream } from './settlement-stream.ts';

/** How much of a running stream is lost at most when this process is killed. */
const INTERVAL_MS = 3_000;

/** Reports, every few seconds, what the running requests that are paid for have delivered so far. */
export class StreamCheckpoints {
  readonly #settlement: Pick<SettlementStream, 'checkpoint'>;
  readonly #running = new Map<Exchange, AnswerRelay>();
  #timer: NodeJS.Timeout | undefined;

  constructor(settlement: Pick<SettlementStream, 'checkpoint'>) {
    this.#settlement = settlement;
  }

  start(): void {
    this.#timer = setInterval(() => this.#report(), INTERVAL_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Follows a request that holds money. @returns ends that, before the request is settled */
  follow(exchange: Exchange, answer: AnswerRelay): () => void {
    if (exchange.record.hold === undefined) return () => undefined;
    this.#running.set(exchange, answer);
    return () => this.#running.delete(exchange);
  }

  #report(): void {
    const reports: SettledRequest[] = [];
    for (const [{ record }, answer] of this.#running) {
      const usage = answer.usage(false);
      if (usage === undefined) continue;
      const report = settledRequestOf(record, usage);
      if (report !== undefined) reports.push(report);
    }
    if (reports.length > 0) this.#settlement.checkpoint(reports);
  }
}
