import { randomUUID } from 'node:crypto';
import { type ControlPlaneClient, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { Counter, type Logger, type Registry } from '@model-gateway/service-kit';
import type { GatewayError } from '@model-gateway/shared';
import { payerOf } from '../billing/payer-allowance.ts';
import type { RequestRecord } from '../request-record.ts';
import { RefusalTally, type RefusedAlike } from './refusal-tally.ts';

/** What is counted waits for company this long: a flood costs the control plane one call in that time. */
const REPORT_MS = 3_000;
/** For each call; a report that is not answered is sent again under its id. */
const REPORT_PATIENCE_MS = 1_000;
const MAX_REPORTED = 1_000;

/** Sent until it is answered, so that it counts once and does count. */
interface Report {
  reportId: string;
  refused: RefusedAlike[];
}

export interface RefusalReportsOptions {
  client: Pick<ControlPlaneClient, 'call'>;
  registry: Registry;
  log: Logger;
}

/**
 * Tells the control plane, beside the requests, how often those of known keys were refused: as sums, every few
 * seconds, and only while there is something to tell.
 */
export class RefusalReports {
  readonly #client: Pick<ControlPlaneClient, 'call'>;
  readonly #log: Logger;
  readonly #tally: RefusalTally;
  #waiting: Report[] = [];
  #turn = Promise.resolve();
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

  /** Costs no I/O. */
  count(record: Pick<RequestRecord, 'key' | 'model' | 'route' | 'attempts'>, error: GatewayError): void {
    if (this.#tally.count(record, error) && this.#timer === undefined) this.#reportLater();
  }

  /** Reports what is left, once: what no control plane takes then is not listed. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#report();
  }

  #reportLater(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(async () => {
      await this.#report();
      this.#timer = undefined;
      if (this.#waiting.length > 0 || !this.#tally.isEmpty) this.#reportLater();
    }, REPORT_MS);
  }

  /** One at a time, each after the one before. */
  #report(): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      try {
        await this.#sendWaiting();
        // While no control plane takes reports, the tally goes on adding up, within its bounds.
        this.#waiting = reportsOf(this.#tally.take());
        await this.#sendWaiting();
      } catch (error) {
        this.#log.debug({ error }, 'refused requests could not be reported');
      }
    });
    return this.#turn;
  }

  /** @throws ServiceError of the first that is not taken for now */
  async #sendWaiting(): Promise<void> {
    for (let report = this.#waiting[0]; report !== undefined; report = this.#waiting[0]) {
      await this.#send(report).catch((error: unknown) => this.#requireOnlyRefused(error));
      this.#waiting.shift();
    }
  }

  /** A report that is not understood never will be, and those behind it must not wait for that. */
  #requireOnlyRefused(error: unknown): void {
    if (grpcStatus(error) !== GrpcStatus.INVALID_ARGUMENT) throw error;
    this.#log.warn({ error }, 'a report of refused requests is not understood: they are not listed');
  }

  async #send({ reportId, refused }: Report): Promise<void> {
    const request = { reportId, refused: refused.map(({ key, ...rest }) => message(key, rest)) };
    await this.#client.call(REPORT_PATIENCE_MS, 'billing', 'reportRefusals', request);
  }
}

function message(key: RefusedAlike['key'], { modelId, ...rest }: Omit<RefusedAlike, 'key'>) {
  return { payer: payerOf(key), keyId: key.keyId, ...rest, ...(modelId === undefined ? {} : { modelId }) };
}

function reportsOf(refused: RefusedAlike[]): Report[] {
  const reports: Report[] = [];
  for (let at = 0; at < refused.length; at += MAX_REPORTED) {
    reports.push({ reportId: randomUUID(), refused: refused.slice(at, at + MAX_REPORTED) });
  }
  return reports;
}
