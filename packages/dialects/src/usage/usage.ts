import { addUnits, NO_UNITS, type Price, reportedUsage, type Units } from '@model-gateway/shared';

/** `gateway`: counted here, such as images. `estimated`: the provider sent no count or an absurd one. */
export type UsageSource = 'provider' | 'gateway' | 'estimated';

/** A model and its price, as the catalog has them; undefined: it is free. */
export interface PricedModel {
  id: string;
  price: { version: number; of: Price } | undefined;
}

/** Units of a request that one model used. */
export interface UsagePart {
  model: PricedModel;
  units: Units;
}

/** Units that a request used, in those of its capability. */
export interface Usage extends Units {
  source: UsageSource;
  /**
   * Usage of each model, if the provider let several answer. The request costs their sum, each at its own
   * price; its units are those of its own model. Absent: its own model alone answered.
   */
  parts?: readonly UsagePart[];
}

/** Fills missing units with zero. */
export function usageOf(source: UsageSource, units: Partial<Units>): Usage {
  return { ...NO_UNITS, ...units, source };
}

/** The most parts that the control plane takes. */
const MAX_PARTS = 100;

/**
 * A usage of several parts. Of too many, those of the same model become one.
 * @param own the model that was asked for
 */
export function usageOfParts(
  source: UsageSource,
  own: UsagePart['model'],
  parts: readonly UsagePart[],
): Usage {
  const units = parts
    .filter(({ model }) => model.id === own.id)
    .reduce((sum, part) => addUnits(sum, part.units), NO_UNITS);
  return { ...units, source, parts: parts.length > MAX_PARTS ? byModel(parts) : parts };
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

/** @param usage what a provider sent as such; undefined and null: nothing */
export function isAbsurdUsage(usage: unknown): boolean {
  return usage !== undefined && usage !== null && !reportedUsage.safeParse(usage).success;
}

/** A common rule of thumb for English text; only used where a provider sends no count, and flagged there. */
const BYTES_PER_TOKEN = 4;

export function estimatedTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

export interface TextRule {
  /** Members that do not count, at any depth. */
  except?: ReadonlySet<string>;
  isText?: (text: string) => boolean;
}

const ALL: TextRule = {};

/** Bytes of all texts inside a value; nesting is bounded by the JSON scan. A number counts as a token. */
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

/** The bytes of text in one member of a request, parsed again: only for a provider that sends no count. */
export function requestTextBytes(requestJson: readonly Buffer[], member: string): number {
  const request: Record<string, unknown> = JSON.parse(Buffer.concat(requestJson).toString());
  return textBytes(request[member]);
}
