import { type Capability, METERED, type PriceName, type ServiceTier } from '@model-gateway/shared';
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

/** Fields of litellm's file without suffixes. If several fields have one member, the first one counts. */
const NAMES: Readonly<Record<string, readonly [PriceName, power: number]>> = {
  input_cost_per_token: ['input_per_million_usd', 6],
  output_cost_per_token: ['output_per_million_usd', 6],
  cache_read_input_token_cost: ['cached_input_per_million_usd', 6],
  cache_creation_input_token_cost: ['cache_write_per_million_usd', 6],
  cache_creation_input_token_cost_above_1hr: ['cache_write_1h_per_million_usd', 6],
  input_cost_per_audio_token: ['audio_input_per_million_usd', 6],
  input_cost_per_image_token: ['image_input_per_million_usd', 6],
  output_cost_per_audio_token: ['audio_output_per_million_usd', 6],
  output_cost_per_image_token: ['image_output_per_million_usd', 6],
  output_cost_per_reasoning_token: ['reasoning_per_million_usd', 6],
  input_cost_per_character: ['characters_per_million_usd', 6],
  input_cost_per_second: ['audio_second_usd', 0],
  output_cost_per_image: ['image_usd', 0],
  input_cost_per_image: ['image_usd', 0],
  input_cost_per_query: ['search_unit_usd', 0],
};

const SERVICE_TIERS: Readonly<Record<string, ServiceTier>> = {
  batches: 'batch',
  flex: 'flex',
  priority: 'priority',
};
/** The field of models that bill the tokens of their images. */
const IMAGE_TOKENS = 'output_cost_per_image_token';
const SEARCHES = 'search_context_cost_per_query';
const RANGES = 'tiered_pricing';
const SUFFIXES = /^(.+?)(?:_above_(\d+)k_tokens)?(?:_(batches|flex|priority))?$/;
const PROMOTION = /promo|discount|introductory|temporary|\d ?% (?:off|of list)/i;

/** Fields with numbers that are not prices. */
const NO_PRICE =
  /^(?:supports_|max_|rpm$|tpm$|output_vector_size$|prompt_cache_min_tokens$|token_count_|metadata$|rules$|bedrock_)/;
/** Prices that the catalog has no member for: other units and service tiers, surcharges of regions. */
const NOT_CARRIED =
  /_(?:ultrafast|decisions|balanced)$|_above_12hr|audio_token_cost|image_token_cost|_cache_hit$|_uplift_multiplier|^provider_specific_entry$|^search_free_requests$|^off_peak_pricing$|_grounding_cost_|_per_(?:session|pixel|page|credit|request|video|character|second|image|query|audio_per_second|text_message|gb_per_day|1k_)|dbu_cost/;

/** Returns the member of `pricing` for a price of litellm's file; undefined: there is none. */
export function litellmPrice(field: string, capability: Capability): SourcePrice | undefined {
  const [, base = '', bound, suffix = ''] = SUFFIXES.exec(field) ?? [];
  const named = Object.hasOwn(NAMES, base) ? NAMES[base] : undefined;
  if (named === undefined) return undefined;
  const [name, power] = named;
  return {
    // The output of image models is images.
    name: capability === 'images' && base === IMAGE_TOKENS ? 'output_per_million_usd' : name,
    above: bound === undefined ? undefined : Number(bound) * 1_000,
    serviceTier: SERVICE_TIERS[suffix],
    power,
  };
}

/** Converts an entry of litellm's model_prices_and_context_window.json. */
export function readLitellmModel(
  entry: Readonly<Record<string, unknown>>,
  capability: Capability,
): SourceModel {
  const model = emptySourceModel();
  const metered = METERED[capability];
  const order = Object.keys(NAMES);
  const rank = (field: string) => order.indexOf(SUFFIXES.exec(field)?.[1] ?? '');
  const billsImageTokens = capability === 'images' && IMAGE_TOKENS in entry;
  for (const [field, value] of Object.entries(entry).sort(([left], [right]) => rank(left) - rank(right))) {
    if (field === SEARCHES) addSearches(model, field, value, metered);
    else if (field === RANGES && Array.isArray(value)) addRanges(model, value, capability);
    else if (PROMOTION.test(field) || (field === 'comment' && PROMOTION.test(String(value))))
      model.notes.push({
        kind: 'promotion',
        field,
        value: textOf(value),
        until: promotionEnd(textOf(value)),
      });
    else if (!hasNumber(value) || NO_PRICE.test(field)) continue;
    else {
      const price = litellmPrice(field, capability);
      const isOther = billsImageTokens && /^output_cost_per_(?:token|image(?!_token))/.test(field);
      const isKnown = price !== undefined || NOT_CARRIED.test(field);
      if (isKnown && isNumber(value))
        addPrice(model, { field, value, metered, price: isOther ? undefined : price });
      else {
        const kind = isKnown ? 'not_carried' : 'unknown';
        model.notes.push({ kind, field, value: textOf(value) });
      }
    }
  }
  // For OpenAI's models, max_input_tokens leaves out the output, which `context_length` includes.
  const [input, output] = [countOf(entry.max_input_tokens), countOf(entry.max_output_tokens)];
  model.contexts = input === undefined ? [] : [input, ...(output === undefined ? [] : [input + output])];
  model.maxOutput = output;
  const modalities = modalitiesOf(entry.supported_modalities);
  model.inputModalities = modalities && [
    ...new Set([...modalities, ...(entry.supports_pdf_input === true ? ['file'] : [])]),
  ];
  model.outputModalities = modalitiesOf(entry.supported_output_modalities);
  return model;
}

/** Adds the price of a web search if all context sizes have the same. */
function addSearches(model: SourceModel, field: string, value: unknown, metered: readonly PriceName[]): void {
  const costs = new Set(Object.values(recordOrEmpty(value)));
  const [cost] = costs;
  if (costs.size === 1 && isNumber(cost))
    addPrice(model, { field, value: cost, metered, price: { name: 'web_search_request_usd', power: 0 } });
  else model.notes.push({ kind: 'not_carried', field, value: textOf(value) });
}

/** Adds prices of ranges of input tokens. The first range has the prices of `pricing` itself. */
function addRanges(model: SourceModel, ranges: readonly unknown[], capability: Capability): void {
  for (const range of ranges.map(recordOrEmpty)) {
    const [from] = Array.isArray(range.range) ? range.range : [];
    const above = countOf(from);
    for (const [field, value] of Object.entries(range)) {
      if (field === 'range' || !isNumber(value)) continue;
      const price = litellmPrice(field, capability);
      addPrice(model, {
        field: `${RANGES}.${field}`,
        value,
        metered: METERED[capability],
        price: price === undefined ? undefined : { ...price, above },
      });
    }
  }
}

function hasNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isNumber(value);
  return Object.values(value).some(hasNumber);
}
