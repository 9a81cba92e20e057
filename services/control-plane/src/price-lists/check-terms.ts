import {
  capability,
  formatIssues,
  jsonPath,
  type PriceListTerms,
  paidProblems,
  plainWords,
  priceListTerms,
  pricingProblems,
} from '@model-gateway/shared';
import { ControlPlaneError, invalidArgument } from '../errors/control-plane-error.ts';

export interface CheckedModel {
  capability: string;
  tier: string;
}

/** The error for terms by which a model could not be charged. */
export class InvalidTerms extends ControlPlaneError {
  /** JSON path, such as `models[0].pricing.output_per_million_usd`. */
  readonly param: string;

  constructor(param: string, what: string) {
    super('invalid_argument', `${param}: ${what}`);
    this.param = param;
  }
}

/** Parses the terms of a price list. @throws ControlPlaneError invalid_argument: a line per problem */
export function parseTerms(termsJson: string): PriceListTerms {
  const parsed = priceListTerms.safeParse(readJson(termsJson), { error: plainWords });
  if (parsed.success) return parsed.data;
  const lines = formatIssues(parsed.error).map(({ message, path }) => `${path || 'terms'}: ${message}`);
  throw invalidArgument(lines.join('\n'));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidArgument('terms: must be valid JSON');
  }
}

/**
 * Requires of each fixed price that its model is paid, and that the price covers what is metered.
 * @param known models of the catalog in force
 * @throws InvalidTerms
 */
export function requireChargeable(
  { models }: PriceListTerms,
  known: ReadonlyMap<string, CheckedModel>,
): void {
  for (const [index, { model, pricing }] of models.entries()) {
    if (pricing === undefined) continue;
    const found = known.get(model);
    const at = ['models', index];
    if (found === undefined)
      throw new InvalidTerms(
        jsonPath([...at, 'model']),
        'is not in the catalog. Fixed prices need the id of a paid model',
      );
    if (found.tier !== 'paid')
      throw new InvalidTerms(jsonPath([...at, 'model']), 'is a free model, which needs no price');
    const of = capability.parse(found.capability);
    const [problem] = [...pricingProblems(pricing), ...paidProblems(of, pricing)];
    if (problem !== undefined)
      throw new InvalidTerms(jsonPath([...at, 'pricing', ...problem.path]), problem.message);
  }
}
