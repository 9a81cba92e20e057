/** What providers count, each token once: cached input is not in `input`, and thinking is output. */
export const SERVED_UNITS = [
  'input',
  'cachedInput',
  'cacheWrite',
  'cacheWrite1h',
  'output',
  'webSearches',
  'images',
  'characters',
  'audioMs',
  'searchUnits',
] as const;
export type ServedUnit = (typeof SERVED_UNITS)[number];
export type ServedUnits = Partial<Record<ServedUnit, number>>;

/** The company whose API a request was sent to. `other`: it has no export here. */
export type Vendor = 'openai' | 'azure' | 'anthropic' | 'bedrock' | 'google' | 'cohere' | 'other';

/** The work for one request: what a provider bills if the client reads it to its end. */
export interface ServedWork {
  model: string;
  units: ServedUnits;
  /** The tier that it was served at, in the provider's words. */
  serviceTier?: string;
  /** True: the output is made token by token, and a stream that is left costs what was made until then. */
  isWritten?: true;
}

/** How far the work for a request has got. */
export class Progress {
  work: ServedWork | undefined;
  /** Tokens of a stream so far. */
  generated = 0;
  /** True: all of the work is done, whether the client reads it or not. */
  isDone = false;
  /** True: all of the answer was sent. */
  isSent = false;

  /** Called by routes that are billed, before they answer. */
  readonly meter = (work: ServedWork): void => {
    this.work = work;
  };

  /** Returns the units to bill. */
  billedUnits(): ServedUnits {
    const { isWritten, units = {} } = this.work ?? {};
    if (this.isDone || isWritten !== true) return units;
    return { ...units, output: Math.min(units.output ?? 0, this.generated) };
  }
}
