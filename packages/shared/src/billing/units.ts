/** What requests are metered in. Whole numbers; those that a capability does not know are 0. */
export interface Units {
  /** Cached ones included. */
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  images: number;
  characters: number;
  audioMs: number;
  searchUnits: number;
}

export const NO_UNITS: Units = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  images: 0,
  characters: 0,
  audioMs: 0,
  searchUnits: 0,
};
