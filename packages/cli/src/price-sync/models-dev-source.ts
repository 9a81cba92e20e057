import { type Capability, METERED, type PriceName } from '@model-gateway/shared';
import { isNumber } from './exact-json.ts';
import {
  addPrice,
  countOf,
  emptySourceModel,
  modalitiesOf,
  promotionEnd,
  recordOrEmpty,
  type SourceModel,
  type SourcePrice,
  textOf,
} from './source-model.ts';

/** Fields of models.dev. Prices are per million tokens. */
const NAMES: Readonly<Record<string, PriceName>> = {
  input: 'input_per_million_usd',
  output: 'output_per_million_usd',
  reasoning: 'reasoning_per_million_usd',
  cache_read: 'cached_input_per_million_usd',
  cache_write: 'cache_write_per_million_usd',
  input_audio: 'audio_input_per_million_usd',
  output_audio: 'audio_output_per_million_usd',
};
/** Members of `cost` that are not prices. The second repeats the first tier, maybe with a wrong bound. */
const TIERS = 'tiers';
const OVER_200K = 'context_over_200k';
const PROMOTION = /promo|discount|introductory|until|expire/i;

/** Converts a model of models.dev's api.json. */
export function readModelsDevModel(
  entry: Readonly<Record<string, unknown>>,
  capability: Capability,
): SourceModel {
  const model = emptySourceModel();
  const cost = recordOrEmpty(entry.cost);
  const add = (costs: unknown, path: string, place: Pick<SourcePrice, 'above' | 'serviceTier'> | undefined) =>
    addCosts(model, recordOrEmpty(costs), { path, place, capability });
  add(cost, 'cost', {});
  const tiers = Array.isArray(cost[TIERS]) ? cost[TIERS].map(recordOrEmpty) : [];
  for (const tier of tiers) {
    const { size, type = 'context' } = recordOrEmpty(tier.tier);
    const above = type === 'context' ? countOf(size) : undefined;
    add(tier, 'cost.tiers', above === undefined ? undefined : { above });
  }
  if (tiers.length === 0 && cost[OVER_200K] !== undefined)
    add(cost[OVER_200K], `cost.${OVER_200K}`, { above: 200_000 });
  for (const [mode, value] of Object.entries(recordOrEmpty(recordOrEmpty(entry.experimental).modes))) {
    const { cost: costs, provider } = recordOrEmpty(value);
    const tier = recordOrEmpty(recordOrEmpty(provider).body).service_tier;
    const serviceTier = tier === 'flex' || tier === 'priority' ? tier : undefined;
    add(costs, `experimental.modes.${mode}.cost`, serviceTier && { serviceTier });
  }
  const { context, output } = recordOrEmpty(entry.limit);
  model.contexts = [countOf(context) ?? []].flat();
  model.maxOutput = countOf(output);
  const modalities = recordOrEmpty(entry.modalities);
  model.inputModalities = modalitiesOf(modalities.input);
  model.outputModalities = modalitiesOf(modalities.output);
  return model;
}

/** Adds prices. @param place their tier in `pricing`; undefined: the catalog has no such tier */
function addCosts(
  model: SourceModel,
  costs: Readonly<Record<string, unknown>>,
  {
    capability,
    path,
    place,
  }: {
    path: string;
    place: Pick<SourcePrice, 'above' | 'serviceTier'> | undefined;
    capability: Capability;
  },
): void {
  for (const [member, value] of Object.entries(costs)) {
    if ([TIERS, OVER_200K, 'tier'].includes(member)) continue;
    const field = `${path}.${member}`;
    const name = Object.hasOwn(NAMES, member) ? NAMES[member] : undefined;
    if (name !== undefined && isNumber(value))
      addPrice(model, {
        ...{ field, value, metered: METERED[capability] },
        price: place && { name, power: 0, ...place },
      });
    else {
      const text = textOf(value);
      if (PROMOTION.test(member))
        model.notes.push({ kind: 'promotion', field, value: text, until: promotionEnd(text) });
      else model.notes.push({ kind: 'unknown', field, value: text });
    }
  }
}
