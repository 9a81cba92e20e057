import { randomBytes } from 'node:crypto';

/** The ids that a request carries from service to service (https://www.w3.org/TR/trace-context/). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  isSampled: boolean;
}

export const TRACEPARENT = 'traceparent';
export const TRACESTATE = 'tracestate';

/** Version, trace id, span id and flags. Later versions may append fields. */
const TRACEPARENT_FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
const SAMPLED = 1;
/** The least that every service must accept. */
const MAX_TRACESTATE_LENGTH = 512;
/** A key and a value of a tracestate, or an empty member. */
const MEMBER = /^(?:[\da-z][\d_a-z*/@-]*=[\x20-\x2b\x2d-\x3c\x3e-\x7e]+)?$/;

/** Reads a `traceparent` header. @returns undefined if it is missing or invalid: a trace then starts here */
export function parseTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== 'string' || header.length > 512) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT_FORM.exec(header) ?? [];
  if (version === undefined || version === 'ff') return undefined;
  if (version === '00' && more !== undefined) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Reads a `tracestate` header. @returns undefined if it is missing, too long or malformed */
export function parseTracestate(header: unknown): string | undefined {
  if (typeof header !== 'string' || header.length > MAX_TRACESTATE_LENGTH) return undefined;
  const members = header.split(',');
  return members.length <= 32 && members.every((each) => MEMBER.test(each.trim())) ? header : undefined;
}

const TRACE_ID_DIGITS = 32;
const SPAN_ID_DIGITS = 16;
const SUPPLY_BYTES = 4_096;

/** Random digits for many ids: a system call or a conversion for each would be most of what a trace costs. */
let supply = '';
let used = 0;

function randomHex(digits: number): string {
  if (used + digits > supply.length) {
    supply = randomBytes(SUPPLY_BYTES).toString('hex');
    used = 0;
  }
  used += digits;
  return supply.slice(used - digits, used);
}

export function newTraceId(): string {
  return randomHex(TRACE_ID_DIGITS);
}

export function newSpanId(): string {
  return randomHex(SPAN_ID_DIGITS);
}
