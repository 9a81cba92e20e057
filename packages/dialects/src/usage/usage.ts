import {
  addUnits,
  fitUnits,
  NO_UNITS,
  type Price,
  reportedUsage,
  type Units,
  unitsFit,
} from '@model-gateway/shared';

/** `gateway`: counted here, such as images. `estimated`: the provider sent no count or an absurd one. */
export type UsageSource = 'provider' | 'gateway' | 'estimated';

/** A model of the catalog. */
export interface PricedModel {
  id: string;
  /** Undefined: the model is free. `selling` is charged to the payer, `cost` by the provider. */
  price: { version: number; selling: Price; cost: Price } | undefined;
}

/** Units of a request that one model used. */
export interface UsagePart {
  model: PricedModel;
  units: Units;
}

/** Units that a request used. */
export interface Usage extends Units {
  source: UsageSource;
  /** True if a count did not fit and was clamped: the request costs at most its hold. */
  isClamped?: true;
  /**
   * Usage by model, if the provider used several. The request costs their sum, each at its own price; its
   * units are those of the requested model. Absent: only the requested model was used.
   */
  parts?: readonly UsagePart[];
  /** The service tier that it costs the price of; left out: the default. */
  serviceTier?: string | undefined;
}

/** Fills missing units with zero, and clamps counts that cannot be stored or priced. */
export function usageOf(source: UsageSource, units: Partial<Units>): Usage {
  return clampUsage({ ...NO_UNITS, ...units, source });
}

function clampUsage(usage: Usage): Usage {
  if (unitsFit(usage)) return usage;
  return { ...usage, ...fitUnits(usage), source: 'estimated', isClamped: true };
}

/** The control plane accepts no more parts. */
const MAX_PARTS = 100;

/**
 * Builds a usage of several parts. Merges parts of one model if there are too many.
 * @param own the requested model
 */
export function usageOfParts(
  source: UsageSource,
  own: UsagePart['model'],
  parts: readonly UsagePart[],
): Usage {
  const units = parts
    .filter(({ model }) => model.id === own.id)
    .reduce((sum, part) => addUnits(sum, part.units), NO_UNITS);
  const usage = clampUsage({ ...units, source, parts: parts.length > MAX_PARTS ? byModel(parts) : parts });
  if (parts.every((part) => unitsFit(part.units))) return usage;
  const fitted = parts.map((part) => ({ ...part, units: fitUnits(part.units) }));
  return { ...usageOfParts('estimated', own, fitted), isClamped: true };
}

function byModel(parts: readonly UsagePart[]): UsagePart[] {
  const sums = new Map<string, UsagePart>();
  for (const { model, units } of parts) {
    const { units: sum } = sums.get(model.id) ?? { units: NO_UNITS };
    sums.set(model.id, { model, units: addUnits(sum, units) });
  }
  return [...sums.values()];
}

/** Removes an absurd `usage` from a response or event. */
export function withoutAbsurdUsage<Answer extends Record<string, unknown>>(answer: Answer): Answer {
  return isAbsurdUsage(answer.usage) ? { ...answer, usage: undefined } : answer;
}

/** @param usage of a provider; undefined and null are not absurd */
export function isAbsurdUsage(usage: unknown): boolean {
  return usage !== undefined && usage !== null && !reportedUsage.safeParse(usage).success;
}

/** A common rule of thumb for English text. Used only without a provider's count, and reported as such. */
export const BYTES_PER_TOKEN = 4;

export function estimatedTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

export interface TextRule {
  /** Members that do not count, at any depth. */
  except?: ReadonlySet<string>;
  isText?: (text: string) => boolean;
}

const ALL: TextRule = {};

/** Counts the bytes of all texts inside a value. A number counts as a token. The JSON scan bounds nesting. */
export function textBytes(value: unknown, rule: TextRule = ALL): number {
  if (typeof value === 'string') return rule.isText?.(value) === false ? 0 : Buffer.byteLength(value);
  if (typeof value === 'number') return BYTES_PER_TOKEN;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 0;
  for (const [name, entry] of Object.entries(value)) {
    if (rule.except?.has(name) !== true) bytes += textBytes(entry, rule);
  }
  return bytes;
}

/** Parses a request again to count the text of one member, so call it only without a provider's count. */
export function requestTextBytes(requestJson: readonly Buffer[], member: string): number {
  const request: Record<string, unknown> = JSON.parse(Buffer.concat(requestJson).toString());
  return textBytes(request[member]);
}
