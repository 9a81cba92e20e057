import { randomUUID } from 'node:crypto';
import { type ControlPlaneClient, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { Counter, inBackground, type Logger, type Registry } from '@model-gateway/service-kit';
import type { GatewayError } from '@model-gateway/shared';
import { keyOwner } from '../keys/key-context.ts';
import { type RefusalCount, RefusalTally, type RefusedRecord } from './refusal-tally.ts';

/** Counts are collected this long, so that a flood costs one call per interval. */
const REPORT_MS = 3_000;
/** Timeout of each call. An unanswered report is repeated under the same id. */
const REPORT_TIMEOUT_MS = 1_000;
const MAX_REPORTED = 1_000;

/** A report is repeated until it is answered, and counts once by its id. */
interface Report {
  reportId: string;
  refused: RefusalCount[];
}

export interface RefusalReportsOptions {
  client: Pick<ControlPlaneClient, 'call'>;
  registry: Registry;
  log: Logger;
}

/**
 * Reports refused requests of known keys to the control plane: as sums, every few seconds, without delaying
 * requests.
 */
export class RefusalReports {
  readonly #client: Pick<ControlPlaneClient, 'call'>;
  readonly #log: Logger;
  readonly #tally: RefusalTally;
  #waiting: Report[] = [];
  #lastReport = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ client, registry, log }: RefusalReportsOptions) {
    this.#client = client;
    this.#log = log;
    const unlisted = new Counter({
      name: 'gateway_refused_requests_unlisted_total',
      help: 'Refused requests that no list shows, because too many different ones were refused at a time.',
      registers: [registry],
    });
    this.#tally = new RefusalTally(() => unlisted.inc());
  }

  /** Counts a refused request, without I/O. */
  count(record: RefusedRecord, error: GatewayError): void {
    if (this.#tally.count(record, error) && this.#timer === undefined) this.#reportLater();
  }

  /** Reports the rest once. If that fails, it is lost. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#report();
  }

  #reportLater(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      const reported = this.#report().finally(() => {
        this.#timer = undefined;
        if (this.#waiting.length > 0 || !this.#tally.isEmpty) this.#reportLater();
      });
      inBackground(reported);
    }, REPORT_MS);
  }

  /** Sends reports one at a time, in order. */
  #report(): Promise<void> {
    this.#lastReport = this.#lastReport.then(async () => {
      try {
        await this.#sendWaiting();
        // During an outage the tally keeps counting within its bounds.
        this.#waiting = reportsOf(this.#tally.take());
        await this.#sendWaiting();
      } catch (error) {
        this.#log.debug({ error }, 'refused requests could not be reported');
      }
    });
    return this.#lastReport;
  }

  /** @throws the ServiceError of the first report that the control plane does not accept now */
  async #sendWaiting(): Promise<void> {
    for (let report = this.#waiting[0]; report !== undefined; report = this.#waiting[0]) {
      await this.#send(report).catch((error: unknown) => this.#dropInvalid(error));
      this.#waiting.shift();
    }
  }

  /** Drops a report that the control plane rejects as invalid, so that it does not block later ones. */
  #dropInvalid(error: unknown): void {
    if (grpcStatus(error) !== GrpcStatus.INVALID_ARGUMENT) throw error;
    this.#log.warn({ error }, 'the control plane rejects a report of refused requests: they are not listed');
  }

  async #send({ reportId, refused }: Report): Promise<void> {
    const request = { reportId, refused: refused.map(({ key, ...rest }) => message(key, rest)) };
    await this.#client.call(REPORT_TIMEOUT_MS, 'billing', 'reportRefusals', request);
  }
}

function message(key: RefusalCount['key'], { modelId, ...rest }: Omit<RefusalCount, 'key'>) {
  return { owner: keyOwner(key), keyId: key.keyId, ...rest, ...(modelId === undefined ? {} : { modelId }) };
}

function reportsOf(refused: RefusalCount[]): Report[] {
  const reports: Report[] = [];
  for (let at = 0; at < refused.length; at += MAX_REPORTED) {
    reports.push({ reportId: randomUUID(), refused: refused.slice(at, at + MAX_REPORTED) });
  }
  return reports;
}
