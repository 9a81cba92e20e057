import type { Usage } from '@model-gateway/dialects';
import { Counter, LinkedList, type Logger, type Registry } from '@model-gateway/service-kit';
import type { Allowances } from '../billing/allowances.ts';
import { costInHold, maxUsage } from '../billing/cost-of-usage.ts';
import { logIds } from '../observability/log-ids.ts';
import { modelOf, type RequestRecord } from '../request-record.ts';
import { settledRequestOf } from './settled-request-of.ts';
import type { SettlementStream } from './settlement-stream.ts';

const SWEEP_MS = 1_000;

export interface HeldRequestsOptions {
  allowances: Pick<Allowances, 'settle'>;
  settlement: Pick<SettlementStream, 'record'>;
  registry: Registry;
  log: Pick<Logger, 'error'>;
}

/**
 * Knows the requests that are not settled yet, and may hold money. If an exchange ends without a settlement
 * because the gateway failed, its request is charged an estimate within its hold. A sweep finds requests for
 * which even that has failed.
 */
export class HeldRequests {
  readonly #options: HeldRequestsOptions;
  readonly #held = new LinkedList<RequestRecord>();
  readonly #abandoned: Counter;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HeldRequestsOptions) {
    this.#options = options;
    this.#abandoned = new Counter({
      name: 'gateway_abandoned_requests_total',
      help: 'Requests that ended without a settlement because the gateway failed: charged an estimate.',
      registers: [options.registry],
    });
  }

  start(): void {
    this.#timer = setInterval(() => {
      for (const record of this.#held.items()) if (record.isEnded === true) this.settleAbandoned(record);
    }, SWEEP_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  get size(): number {
    return this.#held.size;
  }

  add(record: RequestRecord): void {
    record.unsettledEntry ??= this.#held.add(record);
  }

  /** Replaces the hold by the cost, once. */
  release(record: RequestRecord, costNanoUsd: bigint): void {
    if (record.unsettledEntry === undefined) return;
    if (record.hold !== undefined) this.#options.allowances.settle(record.hold, costNanoUsd);
    this.#held.remove(record.unsettledEntry);
    record.unsettledEntry = undefined;
  }

  /** Completes the settlement of a request whose exchange has ended. Does nothing if it is complete. */
  settleAbandoned(record: RequestRecord): void {
    if (record.isFollowed === true || record.unsettledEntry === undefined) return;
    const isUnreported = record.isServed === true && record.settled === undefined;
    const { log, settlement } = this.#options;
    log.error(logIds(record), 'a request ended without a settlement: it is charged an estimate');
    this.#abandoned.inc();
    let costNanoUsd = 0n;
    try {
      const [model, usage] = [modelOf(record), knownOrMaxUsage(record)];
      if (isUnreported && model !== undefined && usage !== undefined)
        costNanoUsd = costInHold(usage, model, record.hold);
      const settled = settledRequestOf(record, { outcome: record.outcome, usage });
      if (isUnreported && settled !== undefined) record.settled = settlement.record(settled);
    } catch (error) {
      log.error({ ...logIds(record), error }, 'a request ended without a settlement and without a report');
    } finally {
      this.release(record, costNanoUsd);
    }
  }
}

/** Returns the usage that is known, else the maximum that the money was reserved for. */
function knownOrMaxUsage({ charge, hold, usage }: RequestRecord): Usage | undefined {
  const known = charge?.usage ?? usage;
  if (known !== undefined || hold?.maxUnits === undefined) return known;
  return maxUsage({ maxUnits: hold.maxUnits, serviceTier: hold.serviceTier });
}
