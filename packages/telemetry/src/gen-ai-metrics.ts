import type { AttributeNames } from './attribute-names.ts';
import { METRIC_NAMES, type MetricNames, type TokenKind } from './metric-names.ts';
import type { HistogramPoint, Metric } from './otlp/encode-metrics.ts';
import type { Attributes } from './span.ts';

/** One call to a provider that has ended. */
export interface GenAiOperation {
  operation: string;
  provider: string;
  model: string;
  /** Origin of the provider; undefined: the catalog no longer has it. */
  origin: string | undefined;
  /** Undefined: it succeeded. */
  errorType: string | undefined;
  seconds: number;
  /** Undefined: not streamed, or without a chunk. */
  secondsToFirstChunk: number | undefined;
  /** By kind; a kind that is left out is zero. */
  tokens: Partial<Record<TokenKind, number>>;
}

/** The bounds that the conventions recommend. */
const SECONDS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/**
 * Measures the calls to providers under the names of the GenAI conventions. The catalog and the error codes
 * bound its size.
 */
export class GenAiMetrics {
  readonly #names: AttributeNames;
  readonly #metrics: MetricNames;
  /** By the name of the model: the engine remembers the hashes of names, but not of joined keys. */
  readonly #series = new Map<string, Series[]>();

  constructor(names: AttributeNames) {
    this.#names = names;
    this.#metrics = METRIC_NAMES[names.semconv];
  }

  record(ended: GenAiOperation): void {
    let ofModel = this.#series.get(ended.model);
    if (ofModel === undefined) {
      ofModel = [];
      this.#series.set(ended.model, ofModel);
    }
    let series = ofModel.find((each) => each.takes(ended));
    if (series === undefined) {
      series = new Series(this.#attributesOf(ended), ended);
      ofModel.push(series);
    }
    series.add(ended);
  }

  /** Returns the totals so far. */
  read(): Metric[] {
    const found = new Map<string, Metric>();
    const add = (name: string | undefined, unit: string, point: HistogramPoint) => {
      if (name === undefined || point.count === 0) return;
      const metric = found.get(name) ?? {
        name,
        description: '',
        unit,
        type: 'histogram' as const,
        points: [],
      };
      if (metric.type === 'histogram') found.set(name, { ...metric, points: [...metric.points, point] });
    };
    const { duration, hasTokenType, inputTokens, outputTokens, timeToFirstChunk, tokenSums } = this.#metrics;
    const { errorType, tokenType } = this.#names;
    for (const { attributes, byError, firstChunk, operation } of [...this.#series.values()].flat()) {
      for (const [error, { input, output, seconds }] of byError) {
        const failed = error === '' ? attributes : { ...attributes, [errorType]: error };
        add(duration[operation] ?? duration.other, 's', seconds.point(failed));
        const typed = (type: string) => (hasTokenType ? { ...failed, [tokenType]: type } : failed);
        add(inputTokens[operation], '{token}', input.point(typed('input')));
        add(outputTokens[operation], '{token}', output.point(typed('output')));
      }
      add(timeToFirstChunk, 's', firstChunk.point(attributes));
    }
    return [...found.values(), ...(tokenSums === undefined ? [] : this.#sums(tokenSums))];
  }

  #sums(names: Readonly<Record<TokenKind, string>>): Metric[] {
    const chats = [...this.#series.values()].flat().filter(({ operation }) => operation === 'chat');
    if (chats.length === 0) return [];
    return KINDS.map((kind) => ({
      ...{ name: names[kind], description: '', unit: '{token}', type: 'counter' },
      points: chats.map(({ attributes, tokens }) => ({
        // Counts by modality would be those of some providers only.
        attributes: { ...attributes, [this.#names.tokenModality]: 'unknown' },
        value: tokens[kind],
      })),
    }));
  }

  #attributesOf({ model, operation, origin, provider }: GenAiOperation): Attributes {
    const names = this.#names;
    return {
      [names.operation]: operation,
      [names.genAiProvider]: provider,
      [names.requestModel]: model,
      ...addressOf(names, origin),
    };
  }
}

const KINDS = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const;

/** Returns the attributes of a server. */
export function addressOf(names: AttributeNames, origin: string | undefined): Attributes {
  if (origin === undefined) return {};
  const { hostname, port, protocol } = new URL(origin);
  return {
    [names.serverAddress]: hostname,
    [names.serverPort]: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
}

/** The operations that differ only in how they ended. */
class Series {
  readonly attributes: Attributes;
  readonly operation: string;
  readonly #provider: string;
  readonly #origin: string | undefined;
  readonly byError = new Map<string, { seconds: Buckets; input: Buckets; output: Buckets }>();
  readonly firstChunk = new Buckets(SECONDS);
  readonly tokens: Record<TokenKind, number> = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
  };

  constructor(attributes: Attributes, { operation, origin, provider }: GenAiOperation) {
    this.attributes = attributes;
    this.operation = operation;
    this.#provider = provider;
    this.#origin = origin;
  }

  takes({ operation, origin, provider }: GenAiOperation): boolean {
    return this.operation === operation && this.#provider === provider && this.#origin === origin;
  }

  add({ errorType = '', seconds, secondsToFirstChunk, tokens }: GenAiOperation): void {
    let ended = this.byError.get(errorType);
    if (ended === undefined) {
      ended = { seconds: new Buckets(SECONDS), input: new Buckets(TOKENS), output: new Buckets(TOKENS) };
      this.byError.set(errorType, ended);
    }
    ended.seconds.add(seconds);
    ended.input.add(tokens.input ?? 0);
    ended.output.add(tokens.output ?? 0);
    if (secondsToFirstChunk !== undefined) this.firstChunk.add(secondsToFirstChunk);
    for (const kind of KINDS) this.tokens[kind] += tokens[kind] ?? 0;
  }
}

class Buckets {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #count = 0;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  add(value: number): void {
    let bucket = 0;
    while (value > (this.#bounds[bucket] ?? value)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count += 1;
    this.#sum += value;
  }

  point(attributes: Attributes): HistogramPoint {
    return {
      attributes,
      count: this.#count,
      sum: this.#sum,
      bounds: this.#bounds,
      bucketCounts: [...this.#counts],
    };
  }
}
