import type { Units } from '@model-gateway/shared';

/** One turn of an answer, with the provider's name of its model; undefined: the model that was asked for. */
export interface CountedTurn {
  model: string | undefined;
  units: Partial<Units>;
}

/** A provider's counts, in the gateway's units. */
export interface CountedUsage {
  units: Partial<Units>;
  /** Where an answer took several turns, each of them; `units` are then not billed. */
  turns?: readonly CountedTurn[];
  /** The output was counted before all of it was written, and never after. */
  outputSoFar?: boolean;
}
