import { Counter, type Registry } from '@model-gateway/service-kit';
import { addGauge } from '../observability/add-gauge.ts';
import type { SettlementQueue } from './settlement-queue.ts';

/**
 * `overflow`: the queue was full; `shutdown`: not acknowledged before the process ended; `refused`: the
 * control plane cannot store it.
 */
const LOSS_REASONS = ['overflow', 'shutdown', 'refused'] as const;

export type SettlementMetrics = ReturnType<typeof createSettlementMetrics>;

/** @param queue records without acknowledgement */
export function createSettlementMetrics(registry: Registry, queue: SettlementQueue) {
  addGauge(
    registry,
    'gateway_settlement_pending_records',
    'Ended requests that the control plane has not acknowledged.',
    () => queue.size,
  );
  addGauge(
    registry,
    'gateway_settlement_lag_seconds',
    'Age of the oldest ended request that the control plane has not acknowledged.',
    () => {
      const nowMs = performance.now();
      return (nowMs - (queue.oldestMs ?? nowMs)) / 1_000;
    },
  );
  const lost = new Counter({
    name: 'gateway_settlement_records_lost_total',
    help: 'Ended requests that were never counted, by reason.',
    registers: [registry],
    labelNames: ['reason'] as const,
  });
  // Alerts see the first step of a counter only if it was 0 before.
  for (const reason of LOSS_REASONS) lost.inc({ reason }, 0);
  return { lost };
}
