import type { ControlPlaneClient } from '@model-gateway/contracts';
import type { Logger, Registry } from '@model-gateway/service-kit';
import { AllowanceMetrics, addAllowanceGauges } from '../billing/allowance-metrics.ts';
import { Allowances } from '../billing/allowances.ts';
import type { KeyWatch } from '../keys/key-watch.ts';
import type { SettlementBounds } from './settlement-queue.ts';
import { SettlementStream } from './settlement-stream.ts';
import { StreamCheckpoints } from './stream-checkpoints.ts';

/**
 * How long after a ping of the key watch that was answered money may be spent: the control plane frees it 10
 * s after the ping at the earliest, and requests that start late should have some time left.
 */
const ALLOWANCE_LIFE_MS = 8_000;

interface MoneyPartsInput {
  allowanceClient: ControlPlaneClient;
  billingClient: ControlPlaneClient;
  keyWatch: KeyWatch;
  /** Replaced by tests. */
  bounds: SettlementBounds | undefined;
  registry: Registry;
  log: Logger;
}

/** The parts that set money aside and report what requests consumed. */
export interface MoneyParts {
  settlement: SettlementStream;
  checkpoints: StreamCheckpoints;
  allowances: Allowances;
}

/** Wires these parts. Nothing runs before their `start`. */
export function createMoneyParts(input: MoneyPartsInput): MoneyParts {
  const { allowanceClient, billingClient, bounds, keyWatch, log, registry } = input;
  const settlement = new SettlementStream({
    client: billingClient,
    log,
    registry,
    ...(bounds === undefined ? {} : { bounds }),
  });
  const allowances = new Allowances({
    client: allowanceClient,
    instanceId: keyWatch.instanceId,
    lease: {
      isAlive: () => keyWatch.lagMs() < ALLOWANCE_LIFE_MS,
      isLive: () => keyWatch.isLive(),
      renewed: () => keyWatch.renewed(),
      patience: (quietMs, mostMs) => keyWatch.patience(quietMs, mostMs),
    },
    metrics: new AllowanceMetrics(registry),
    log,
  });
  addAllowanceGauges(registry, () => allowances.out);
  return { settlement, checkpoints: new StreamCheckpoints(settlement), allowances };
}
