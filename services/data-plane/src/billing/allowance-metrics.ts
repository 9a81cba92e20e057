import { grpcStatus } from '@model-gateway/contracts';
import { Counter, Gauge, type Registry } from '@model-gateway/service-kit';
import type { PayerAllowance } from './payer-allowance.ts';

/** The money that the control plane has set aside for this process, in nano-USD. */
export interface AllowanceTotals {
  /** Number of payers with an allowance. */
  payers: number;
  /** Held by running requests. */
  reserved: bigint;
  /** Free for the next requests. */
  spare: bigint;
  waiting: number;
}

export function addAllowanceGauges(registry: Registry, totals: () => AllowanceTotals): void {
  const registers = [registry];
  const gauge = (name: string, help: string, value: (totals: AllowanceTotals) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value(totals()));
      },
    });
  gauge(
    'gateway_allowance_payers',
    'Payers whose money is set aside for this process.',
    ({ payers }) => payers,
  );
  gauge('gateway_allowance_waiting_requests', 'Requests that wait for money.', ({ waiting }) => waiting);
  new Gauge({
    name: 'gateway_allowance_usd',
    help: 'Money set aside for this process in US dollars: reserved for running requests, spare for the next.',
    registers,
    labelNames: ['state'] as const,
    collect() {
      const { reserved, spare } = totals();
      this.set({ state: 'reserved' }, Number(reserved) / 1e9);
      this.set({ state: 'spare' }, Number(spare) / 1e9);
    },
  });
}

/** Counts the calls that fetch or return money, by outcome. */
export class AllowanceMetrics {
  readonly #calls: Counter<'call' | 'outcome'>;

  constructor(registry: Registry) {
    this.#calls = new Counter({
      name: 'gateway_allowance_calls_total',
      help: 'Calls that fetch money for requests or give it back, by outcome.',
      registers: [registry],
      labelNames: ['call', 'outcome'],
    });
  }

  async count<Result>(call: 'acquire' | 'return', run: () => Promise<Result>): Promise<Result> {
    try {
      const result = await run();
      this.#calls.inc({ call, outcome: 'answered' });
      return result;
    } catch (error) {
      this.#calls.inc({ call, outcome: grpcStatus(error) === undefined ? 'failed' : 'unavailable' });
      throw error;
    }
  }
}

export function totalsOf(allowances: readonly PayerAllowance[]): AllowanceTotals {
  const totals = { payers: allowances.length, reserved: 0n, spare: 0n, waiting: 0 };
  for (const { available, reserved, waiting } of allowances) {
    totals.reserved += reserved;
    if (available > 0n) totals.spare += available;
    totals.waiting += waiting.length;
  }
  return totals;
}
