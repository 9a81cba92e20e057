import { describe, expect, it } from 'vitest';
import { parseExactJson } from './exact-json.ts';
import { litellmPrice } from './litellm-source.ts';
import { priceSourceOf } from './read-source.ts';
import type { NoteKind, SourceModel } from './source-model.ts';

/** Reads the only entry of a price file. */
function read(text: string, capability: Parameters<typeof litellmPrice>[1] = 'chat'): SourceModel {
  const source = priceSourceOf(parseExactJson(text));
  const [entry] = source?.entries.values() ?? [];
  if (source === undefined || entry === undefined) throw new Error('not a price file');
  return source.read(entry, capability);
}

const pricesOf = ({ prices }: SourceModel) => Object.fromEntries(prices);
const notesOf = ({ notes }: SourceModel, kind: NoteKind) =>
  Object.fromEntries(notes.filter((note) => note.kind === kind).map(({ field, value }) => [field, value]));

describe("litellm's file", () => {
  const entry = (members: string) =>
    `{"sample_spec": {"litellm_provider": "x"}, "m": {"litellm_provider": "openai", ${members}}}`;

  it('gives prices of tokens, of caches, of long contexts and of searches', () => {
    const model = read(
      entry(`"input_cost_per_token": 1.5e-07, "output_cost_per_token": 6e-07, "output_cost_per_reasoning_token": 6e-07,
        "cache_read_input_token_cost": 7.5e-08, "cache_creation_input_token_cost": 1.875e-07,
        "cache_creation_input_token_cost_above_1hr": 3e-07, "input_cost_per_audio_token": 1e-05,
        "input_cost_per_token_above_200k_tokens": 3e-07, "cache_creation_input_token_cost_above_1hr_above_200k_tokens": 6e-07,
        "search_context_cost_per_query": {"search_context_size_low": 0.01, "search_context_size_high": 0.01},
        "max_input_tokens": 922000, "max_output_tokens": 128000, "supported_modalities": ["text", "image"],
        "supports_pdf_input": true, "rpm": 500, "deprecation_date": "2027-01-01", "source": "https://openai.com"`),
    );
    expect(pricesOf(model)).toEqual({
      input_per_million_usd: '0.15',
      output_per_million_usd: '0.60',
      reasoning_per_million_usd: '0.60',
      cached_input_per_million_usd: '0.075',
      cache_write_per_million_usd: '0.1875',
      cache_write_1h_per_million_usd: '0.30',
      audio_input_per_million_usd: '10.00',
      'tiers.200000.input_per_million_usd': '0.30',
      'tiers.200000.cache_write_1h_per_million_usd': '0.60',
      web_search_request_usd: '0.01',
    });
    expect(model).toMatchObject({
      ...{ notes: [], contexts: [922_000, 1_050_000], maxOutput: 128_000 },
      inputModalities: ['text', 'image', 'file'],
    });
  });

  it('has the price of a range of input tokens as that of a tier', () => {
    const ranges = `"tiered_pricing": [{"input_cost_per_token": 5e-08, "range": [0, 256000.0]},
      {"input_cost_per_token": 2.5e-07, "output_cost_per_token": 2e-06, "range": [256000.0, 1000000.0]}]`;
    expect(pricesOf(read(entry(ranges)))).toEqual({
      input_per_million_usd: '0.05',
      'tiers.256000.input_per_million_usd': '0.25',
      'tiers.256000.output_per_million_usd': '2.00',
    });
  });

  it.each([
    ['input_cost_per_token_flex', 'flex', undefined, 'input_per_million_usd'],
    ['output_cost_per_token_above_272k_tokens_priority', 'priority', 272_000, 'output_per_million_usd'],
    ['cache_read_input_token_cost_batches', 'batch', undefined, 'cached_input_per_million_usd'],
    [
      'cache_creation_input_token_cost_above_272k_tokens_batches',
      ...(['batch', 272_000, 'cache_write_per_million_usd'] as const),
    ],
  ])('%s is a price of the service tier %s', (field, serviceTier, above, name) => {
    expect(litellmPrice(field, 'chat')).toEqual({ name, above, serviceTier, power: 6 });
  });

  it('is never $0, and no price of it is dropped in silence', () => {
    const model = read(
      entry(`"input_cost_per_token": 0.0, "output_cost_per_token": 1.23456789012345e-07, "input_cost_per_wink": 5e-06,
        "wink_pricing": {"day": 1}, "input_cost_per_image": 0.01, "output_cost_per_second": 0.0,
        "regional_processing_uplift_multiplier_eu": 1.1, "input_cost_per_token_ultrafast": 6e-05,
        "search_context_cost_per_query": {"search_context_size_low": 0.01, "search_context_size_high": 0.02},
        "comment": "Billed at 50% of list until 2026-12-31 23:59 Beijing time."`),
    );
    expect(pricesOf(model)).toEqual({});
    expect(notesOf(model, 'zero')).toEqual({ input_cost_per_token: '0.0' });
    expect(notesOf(model, 'inexact')).toEqual({ output_cost_per_token: '1.23456789012345e-07' });
    expect(notesOf(model, 'unknown')).toEqual({ input_cost_per_wink: '5e-06', wink_pricing: '{"day":"1"}' });
    expect(Object.keys(notesOf(model, 'not_carried')).sort()).toEqual([
      'input_cost_per_image',
      'input_cost_per_token_ultrafast',
      'regional_processing_uplift_multiplier_eu',
      'search_context_cost_per_query',
    ]);
    expect(model.notes.filter(({ kind }) => kind === 'promotion')).toEqual([
      expect.objectContaining({ field: 'comment', until: '2026-12-31' }),
    ]);
  });

  it('has the units of other capabilities', () => {
    const ofAll =
      entry(`"input_cost_per_character": 1.5e-05, "input_cost_per_second": 0.0001, "input_cost_per_query": 0.002,
      "output_cost_per_image": 0.04`);
    expect(pricesOf(read(ofAll, 'speech'))).toEqual({ characters_per_million_usd: '15.00' });
    expect(pricesOf(read(ofAll, 'transcription'))).toEqual({ audio_second_usd: '0.0001' });
    expect(pricesOf(read(ofAll, 'rerank'))).toEqual({ search_unit_usd: '0.002' });
    expect(pricesOf(read(ofAll, 'images'))).toEqual({ image_usd: '0.04' });
    const tokens = read(
      entry(`"input_cost_per_token": 5e-07, "output_cost_per_token": 3e-06, "output_cost_per_image_token": 6e-05,
        "output_cost_per_image": 0.045`),
      'images',
    );
    // The image's price is that of its tokens: charging both would charge twice.
    expect(pricesOf(tokens)).toEqual({ input_per_million_usd: '0.50', output_per_million_usd: '60.00' });
    expect(notesOf(tokens, 'not_carried')).toEqual({
      output_cost_per_image: '0.045',
      output_cost_per_token: '3e-06',
    });
  });
});

describe('api.json of models.dev', () => {
  const entry = (members: string) => `{"acme": {"id": "acme", "models": {"m": {"id": "m", ${members}}}}}`;

  it('gives prices per million tokens, tiers and modes that are service tiers', () => {
    const model = read(
      entry(`"cost": {"input": 5, "output": 30, "cache_read": 0.5, "input_audio": 10.25,
          "tiers": [{"input": 10, "output": 45, "tier": {"type": "context", "size": 272000}}],
          "context_over_200k": {"input": 10, "output": 45}},
        "limit": {"context": 1050000, "input": 922000, "output": 128000},
        "modalities": {"input": ["text", "pdf"], "output": ["text"]},
        "experimental": {"modes": {"fast": {"cost": {"input": 12.5}, "provider": {"body": {"service_tier": "priority"}}},
          "quick": {"cost": {"input": 50}, "provider": {"body": {"speed": "fast"}}}}}`),
    );
    expect(pricesOf(model)).toMatchObject({
      input_per_million_usd: '5.00',
      output_per_million_usd: '30.00',
      cached_input_per_million_usd: '0.50',
      audio_input_per_million_usd: '10.25',
      'tiers.272000.input_per_million_usd': '10.00',
      'tiers.272000.output_per_million_usd': '45.00',
      'service_tiers.priority.input_per_million_usd': '12.50',
    });
    // Its copy of the first tier has the bound of another provider.
    expect([...model.prices.keys()].some((price) => price.includes('200000'))).toBe(false);
    expect(notesOf(model, 'not_carried')).toMatchObject({ 'experimental.modes.quick.cost.input': '50' });
    expect(model).toMatchObject({
      contexts: [1_050_000],
      maxOutput: 128_000,
      inputModalities: ['text', 'file'],
    });
  });

  it('has a tier above 200,000 tokens in its older form, and lists what it does not know', () => {
    const model = read(
      entry(`"cost": {"input": 1, "output": 0, "winks": 3, "introductory_until": "2027-01-31",
        "context_over_200k": {"input": 2}, "tiers": []}`),
    );
    expect(pricesOf(model)).toEqual({
      input_per_million_usd: '1.00',
      'tiers.200000.input_per_million_usd': '2.00',
    });
    expect(notesOf(model, 'zero')).toEqual({ 'cost.output': '0' });
    expect(notesOf(model, 'unknown')).toEqual({ 'cost.winks': '3' });
    expect(model.notes).toContainEqual({
      ...{ kind: 'promotion', field: 'cost.introductory_until', value: '2027-01-31', until: '2027-01-31' },
    });
  });
});

describe("OpenRouter's list of models", () => {
  const entry = (pricing: string, members = '') =>
    `{"data": [{"id": "acme/m", "pricing": {${pricing}}${members}}]}`;

  it('gives prices per token, and overrides above a number of tokens as tiers', () => {
    const model = read(
      entry(
        `"prompt": "0.000005", "completion": "0.00003", "input_cache_read": "0.0000005", "input_cache_write_1h": "0.00001",
          "web_search": "0.01", "image": "0.001", "request": "0", "internal_reasoning": "0", "blink": "0.1",
          "overrides": [{"min_prompt_tokens": 272000, "prompt": "0.00001"}, {"utc_start": 100, "utc_end": 400, "prompt": "0.000002"}]`,
        `, "context_length": 1050000, "top_provider": {"max_completion_tokens": 128000},
          "architecture": {"input_modalities": ["text", "file"], "output_modalities": ["text"]}`,
      ),
    );
    expect(pricesOf(model)).toEqual({
      input_per_million_usd: '5.00',
      output_per_million_usd: '30.00',
      cached_input_per_million_usd: '0.50',
      cache_write_1h_per_million_usd: '10.00',
      web_search_request_usd: '0.01',
      'tiers.272000.input_per_million_usd': '10.00',
    });
    expect(Object.keys(notesOf(model, 'not_carried'))).toEqual(['pricing.image', 'pricing.overrides']);
    expect(notesOf(model, 'unknown')).toEqual({ 'pricing.blink': '0.1' });
    expect(notesOf(model, 'zero')).toEqual({ 'pricing.internal_reasoning': '0' });
    expect(model).toMatchObject({ contexts: [1_050_000], maxOutput: 128_000 });
  });

  it('has a discount that ends, and -1 for a price that it does not know', () => {
    const model = read(entry('"prompt": "-1", "completion": "0.00003", "discount": 0.5'));
    expect(pricesOf(model)).toEqual({ output_per_million_usd: '30.00' });
    expect(notesOf(model, 'promotion')).toEqual({ 'pricing.discount': '0.5' });
    expect(notesOf(model, 'not_carried')).toEqual({ 'pricing.prompt': '-1' });
  });
});

it('anything else is no price file', () => {
  for (const text of ['{}', '[]', '1', '{"data": []}', '{"a": {"b": 1}}', '{"data": [{"id": "m"}]}'])
    expect(priceSourceOf(parseExactJson(text))).toBeUndefined();
});
