/** `double`: a number with the same type in every span, also where it happens to be whole. */
export type AttributeValue =
  | string
  | number
  | boolean
  | readonly string[]
  | { readonly double: number }
  | undefined;

/** By name. Integers are exported as such, other numbers as doubles; undefined values are left out. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** The numbers of the protocol. */
export const SpanKind = { internal: 1, server: 2, client: 3, consumer: 5 } as const;

export interface SpanEvent {
  name: string;
  /** Unix milliseconds. */
  atMs: number;
  attributes?: Attributes;
}

/** A span of another trace that a span belongs to. */
export interface SpanLink {
  traceId: string;
  spanId: string;
}

/** A span that has ended. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string | undefined;
  traceState?: string | undefined;
  isSampled: boolean;
  name: string;
  kind: (typeof SpanKind)[keyof typeof SpanKind];
  /** Unix milliseconds with fractions, as the end. */
  startedAtMs: number;
  endedAtMs: number;
  attributes: Attributes;
  events?: readonly SpanEvent[];
  links?: readonly SpanLink[];
  /** Set if it failed: a short description, or an empty one. */
  error?: string | undefined;
}
