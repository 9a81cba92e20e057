import type { Units } from '@model-gateway/shared';

/** One turn of a response, with the provider's name of its model; undefined: the requested model. */
export interface CountedTurn {
  model: string | undefined;
  units: Partial<Units>;
}

/** A provider's counts, in the gateway's units. */
export interface CountedUsage {
  units: Partial<Units>;
  /** The turns of a response that took several: they are billed instead of `units`. */
  turns?: readonly CountedTurn[];
  /** True if the provider counted the output before its end, and not again at the end. */
  outputSoFar?: boolean;
}
