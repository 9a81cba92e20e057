import type { Units } from '@model-gateway/shared';

/** What a provider counts, in the units that the gateway bills. */
export interface CountedUsage {
  units: Partial<Units>;
  /**
   * Where an answer took several turns, each of them, with the provider's name of its model; `units` are then
   * not billed. A turn without a model was one of the model that was asked for.
   */
  turns?: readonly { model: string | undefined; units: Partial<Units> }[];
  /** The output was counted before all of it was written, and never after. */
  outputSoFar?: boolean;
}
