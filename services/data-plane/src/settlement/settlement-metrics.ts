import { Counter, Gauge, type Registry } from '@model-gateway/service-kit';

/**
 * `overflow`: the queue was full; `shutdown`: not acknowledged before the process ended; `refused`: the
 * control plane cannot store it.
 */
const LOSS_REASONS = ['overflow', 'shutdown', 'refused'] as const;

export type SettlementMetrics = ReturnType<typeof createSettlementMetrics>;

export interface SettlementGauges {
  pendingRecords: () => number;
  lagMs: () => number;
}

export function createSettlementMetrics(registry: Registry, gauges: SettlementGauges) {
  const registers = [registry];
  new Gauge({
    name: 'gateway_settlement_pending_records',
    help: 'Ended requests that the control plane has not acknowledged.',
    registers,
    collect() {
      this.set(gauges.pendingRecords());
    },
  });
  new Gauge({
    name: 'gateway_settlement_lag_seconds',
    help: 'Age of the oldest of them.',
    registers,
    collect() {
      this.set(gauges.lagMs() / 1_000);
    },
  });
  const lost = new Counter({
    name: 'gateway_settlement_records_lost_total',
    help: 'Ended requests that were never counted, by reason.',
    registers,
    labelNames: ['reason'] as const,
  });
  // Alerts see the first step of a counter only if it was 0 before.
  for (const reason of LOSS_REASONS) lost.inc({ reason }, 0);
  return { lost };
}
