import type { Pricing } from '../catalog/catalog-document.ts';
import { parseUsd } from './money.ts';
import type { Units } from './units.ts';

/** What one of each unit costs, in millionths of a nano-USD, so that every price of a catalog is a whole number. */
export interface Price {
  inputToken: bigint;
  cachedInputToken: bigint;
  outputToken: bigint;
  image: bigint;
  character: bigint;
  audioMs: bigint;
  searchUnit: bigint;
}

const PER_MILLION = 1_000_000n;
const MS_PER_SECOND = 1_000n;

/**
 * @param pricing decimal strings as the catalog has them; a unit without a price costs nothing, cached input without
 *   one of its own costs what input costs
 */
export function priceOf(pricing: Pricing): Price {
  const nano = (usd: string | undefined) => (usd === undefined ? 0n : (parseUsd(usd) ?? invalid(usd)));
  const inputToken = nano(pricing.input_per_million_usd);
  return {
    inputToken,
    cachedInputToken:
      pricing.cached_input_per_million_usd === undefined
        ? inputToken
        : nano(pricing.cached_input_per_million_usd),
    outputToken: nano(pricing.output_per_million_usd),
    image: nano(pricing.image_usd) * PER_MILLION,
    character: nano(pricing.characters_per_million_usd),
    audioMs: (nano(pricing.audio_second_usd) * PER_MILLION) / MS_PER_SECOND,
    searchUnit: nano(pricing.search_unit_usd) * PER_MILLION,
  };
}

/** Exact sum over all units, rounded up once to whole nano-USD (docs/wire-format.md, "What is billed"). */
export function costOf(units: Units, price: Price): bigint {
  const sum =
    BigInt(units.inputTokens - units.cachedInputTokens) * price.inputToken +
    BigInt(units.cachedInputTokens) * price.cachedInputToken +
    BigInt(units.outputTokens) * price.outputToken +
    BigInt(units.images) * price.image +
    BigInt(units.characters) * price.character +
    BigInt(units.audioMs) * price.audioMs +
    BigInt(units.searchUnits) * price.searchUnit;
  return (sum + PER_MILLION - 1n) / PER_MILLION;
}

function invalid(usd: string): never {
  throw new Error(`"${usd}" is no price`);
}
