/** Units of a bill. Each token is in one unit: cached input is not in `input`, thinking is in `output`. */
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

/** The work for one request, which is billed as a whole if the client reads the response to its end. */
export interface ServedWork {
  model: string;
  units: ServedUnits;
  /** The tier that served it, in the provider's word. */
  serviceTier?: string;
  /** True: the output comes token by token, and a client that leaves is billed the tokens until then. */
  isIncremental?: true;
}

/** The progress of the work for a request. */
export class Progress {
  work: ServedWork | undefined;
  /** Tokens of a stream so far. */
  generated = 0;
  /** True: the work is done, and is billed although the client may not read it. */
  isDone = false;
  /** True: the whole response was sent. */
  isSent = false;

  /** Sets the work. Routes that are billed call it before they respond. */
  readonly meter = (work: ServedWork): void => {
    this.work = work;
  };

  /** Returns the units to bill. */
  billedUnits(): ServedUnits {
    const { isIncremental, units = {} } = this.work ?? {};
    if (this.isDone || isIncremental !== true) return units;
    return { ...units, output: Math.min(units.output ?? 0, this.generated) };
  }
}
