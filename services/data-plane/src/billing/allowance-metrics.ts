import { grpcStatus } from '@model-gateway/contracts';
import { Counter, type Registry } from '@model-gateway/service-kit';

/** Counts calls about money. */
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
