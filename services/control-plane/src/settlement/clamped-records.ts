import { Counter, type Logger, type Registry } from '@model-gateway/service-kit';
import type { ReportedRequest } from './reported-request.ts';

const LOG_INTERVAL_MS = 60_000;

/** Counts records with values that did not fit, and logs their number at most once a minute. */
export class ClampedRecords {
  readonly #log: Pick<Logger, 'error'>;
  readonly #counter: Counter;
  #sinceLog = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(registry: Registry, log: Pick<Logger, 'error'>) {
    this.#log = log;
    this.#counter = new Counter({
      name: 'gateway_control_clamped_records_total',
      help: 'Ended requests with values that did not fit: stored with the nearest ones, and charged at most their hold.',
      registers: [registry],
    });
  }

  note({ requestId, clampedFields }: Pick<ReportedRequest, 'requestId' | 'clampedFields'>): void {
    if (clampedFields.size === 0) return;
    this.#counter.inc();
    this.#sinceLog += 1;
    const nowMs = performance.now();
    if (nowMs - this.#loggedAtMs < LOG_INTERVAL_MS) return;
    this.#loggedAtMs = nowMs;
    this.#log.error(
      { records: this.#sinceLog, request_id: requestId, fields: [...clampedFields] },
      'ended requests have values that do not fit: they are stored with the nearest ones',
    );
    this.#sinceLog = 0;
  }
}
