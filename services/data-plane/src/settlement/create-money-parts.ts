import type { ControlPlaneClient } from '@model-gateway/contracts';
import type { Logger, Registry } from '@model-gateway/service-kit';
import { AllowanceMetrics, addAllowanceGauges } from '../billing/allowance-metrics.ts';
import { Allowances } from '../billing/allowances.ts';
import type { KeyWatch } from '../keys/key-watch.ts';
import { HeldRequests } from './held-requests.ts';
import type { SettlementBounds } from './settlement-queue.ts';
import { SettlementStream } from './settlement-stream.ts';
import { StreamCheckpoints } from './stream-checkpoints.ts';

/**
 * How long money may be spent after an answered ping. The control plane frees it 10 s after the ping at the
 * earliest; the rest is for requests that start late.
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

/** Wires the parts that reserve money and settle requests. Nothing runs before their `start`. */
export function createMoneyParts(input: MoneyPartsInput) {
  const { allowanceClient, billingClient, bounds, keyWatch, log, registry } = input;
  const settlement = new SettlementStream({ client: billingClient, log, registry, bounds });
  const allowances = new Allowances({
    client: allowanceClient,
    instanceId: keyWatch.instanceId,
    lease: {
      ownsGrants: () => keyWatch.lagMs() < ALLOWANCE_LIFE_MS,
      isLive: () => keyWatch.isLive(),
      renewed: () => keyWatch.renewed(),
      patience: (quietMs, mostMs) => keyWatch.patience(quietMs, mostMs),
    },
    metrics: new AllowanceMetrics(registry),
    log,
  });
  const heldRequests = new HeldRequests({ allowances, settlement, registry, log });
  addAllowanceGauges(registry, () => allowances.totals);
  return { settlement, checkpoints: new StreamCheckpoints(settlement), allowances, heldRequests };
}
