import type { PricedModel, Usage } from '@model-gateway/dialects';
import { type Logger, type Registry, TallyCounter } from '@model-gateway/service-kit';
import { UNITS, UNPRICED_TIER } from '@model-gateway/shared';
import { type UnpricedUse, unpricedUses } from '../billing/cost-of-usage.ts';

/**
 * Reports units and service tiers that the catalog has no price for. They are charged at the highest price
 * that could apply, which may differ from the provider's charge.
 */
export class UnpricedUsage {
  readonly #log: Logger;
  readonly #units: TallyCounter<readonly ['model', 'unit']>;
  /** Ids of the models that were logged. */
  readonly #loggedModels = new Set<string>();

  constructor(registry: Registry, log: Logger) {
    this.#log = log;
    this.#units = new TallyCounter({
      registry,
      name: 'gateway_unpriced_units_total',
      help: 'Units, and requests at service tiers, that models have no price for, charged at another one.',
      labelNames: ['model', 'unit'],
    });
  }

  /** Counts unpriced units, and logs each model once. */
  count(usage: Usage, model: PricedModel): void {
    for (const { modelId, unit, count } of unpricedUses(usage, model)) {
      const column = columnOf(unit);
      this.#units.labels(modelId, column).inc(count);
      if (this.#loggedModels.has(modelId)) continue;
      this.#loggedModels.add(modelId);
      const price =
        unit === UNPRICED_TIER
          ? `service_tiers.${usage.serviceTier}`
          : UNITS.find((rule) => rule.unit === unit)?.price.name;
      this.#log.warn(
        { model: modelId, unit: column, price },
        'the provider reports a unit or service tier that the catalog has no price for: it is charged at the highest price that could apply',
      );
    }
  }
}

function columnOf(unit: UnpricedUse['unit']): string {
  return UNITS.find((rule) => rule.unit === unit)?.column ?? unit;
}
