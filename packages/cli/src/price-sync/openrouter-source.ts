import { type Capability, METERED, type PriceName } from '@model-gateway/shared';
import { isNumber, isZero } from './exact-json.ts';
import {
  addPrice,
  countOf,
  emptySourceModel,
  modalitiesOf,
  promotionEnd,
  recordOrEmpty,
  type SourceModel,
  textOf,
} from './source-model.ts';

/** Fields of OpenRouter; undefined: the catalog has no member for the unit. */
const NAMES: Readonly<Record<string, readonly [PriceName, power: number] | undefined>> = {
  prompt: ['input_per_million_usd', 6],
  completion: ['output_per_million_usd', 6],
  input_cache_read: ['cached_input_per_million_usd', 6],
  input_cache_write: ['cache_write_per_million_usd', 6],
  input_cache_write_1h: ['cache_write_1h_per_million_usd', 6],
  internal_reasoning: ['reasoning_per_million_usd', 6],
  audio: ['audio_input_per_million_usd', 6],
  audio_output: ['audio_output_per_million_usd', 6],
  image_token: ['image_input_per_million_usd', 6],
  web_search: ['web_search_request_usd', 0],
  image: undefined,
  image_output: undefined,
  input_audio_cache: undefined,
  request: undefined,
};
const DISCOUNT = 'discount';
/** Conditions of an override: a bound of the input, or hours, which the catalog does not know. */
const BOUND = 'min_prompt_tokens';
const HOURS = ['utc_start', 'utc_end', 'utc_days'];

/** Converts a model of OpenRouter's `GET /api/v1/models`. */
export function readOpenRouterModel(
  entry: Readonly<Record<string, unknown>>,
  capability: Capability,
): SourceModel {
  const model = emptySourceModel();
  const { overrides, ...pricing } = recordOrEmpty(entry.pricing);
  addPrices(model, pricing, { path: 'pricing', above: undefined, capability });
  for (const override of Array.isArray(overrides) ? overrides.map(recordOrEmpty) : []) {
    const bound = countOf(override[BOUND]);
    const path = 'pricing.overrides';
    if (bound === undefined || HOURS.some((condition) => condition in override))
      model.notes.push({ kind: 'not_carried', field: path, value: JSON.stringify(override) });
    else addPrices(model, override, { path, above: bound, capability });
  }
  const top = recordOrEmpty(entry.top_provider);
  model.contexts = [countOf(entry.context_length) ?? []].flat();
  model.maxOutput = countOf(top.max_completion_tokens);
  const { input_modalities, output_modalities } = recordOrEmpty(entry.architecture);
  model.inputModalities = modalitiesOf(input_modalities);
  model.outputModalities = modalitiesOf(output_modalities);
  return model;
}

function addPrices(
  model: SourceModel,
  pricing: Readonly<Record<string, unknown>>,
  { above, capability, path }: { path: string; above: number | undefined; capability: Capability },
): void {
  for (const [member, value] of Object.entries(pricing)) {
    if (member === BOUND) continue;
    const field = `${path}.${member}`;
    const text = textOf(value);
    if (member === DISCOUNT) {
      // Listed prices include the discount already. OpenRouter does not say when it ends.
      if (!isZero(text))
        model.notes.push({ kind: 'promotion', field, value: text, until: promotionEnd(text) });
    } else if (!Object.hasOwn(NAMES, member)) model.notes.push({ kind: 'unknown', field, value: text });
    else if (!isNumber(value) || value.startsWith('-'))
      model.notes.push({ kind: 'not_carried', field, value: text });
    else {
      const named = NAMES[member];
      addPrice(model, {
        ...{ field, value, metered: METERED[capability] },
        price: named && { name: named[0], power: named[1], above },
      });
    }
  }
}
