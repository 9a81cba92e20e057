/** OTEL_TRACES_SAMPLER. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface SamplerSettings {
  sampler: (typeof SAMPLERS)[number];
  /** Share of the traces, from 0 to 1, for the samplers by ratio. */
  ratio: number;
}

/**
 * Decides at the start of a trace whether it is exported.
 * @param parentIsSampled the decision of the caller; undefined: the trace starts here
 */
export type Sampler = (traceId: string, parentIsSampled: boolean | undefined) => boolean;

/** 13 hexadecimal digits: as many as fit into a number exactly. */
const RANDOM_DIGITS = 13;
const RANDOM_VALUES = 2 ** (4 * RANDOM_DIGITS);

export function createSampler({ sampler, ratio }: SamplerSettings): Sampler {
  const isParentBased = sampler.startsWith('parentbased_');
  const root = rootSampler(isParentBased ? sampler.slice('parentbased_'.length) : sampler, ratio);
  if (!isParentBased) return root;
  return (traceId, parentIsSampled) => parentIsSampled ?? root(traceId);
}

function rootSampler(name: string, ratio: number): (traceId: string) => boolean {
  if (name === 'always_on') return () => true;
  if (name === 'always_off') return () => false;
  // The last digits are the random ones, and every service decides by them alike.
  const rejectedBelow = (1 - ratio) * RANDOM_VALUES;
  return (traceId) => Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= rejectedBelow;
}
