import { PbfWriter } from 'pbf';
import type { Attributes, Span, SpanEvent, SpanLink } from '../span.ts';
import { type Scope, writeAttributes, writeResource, writeScope, writeTime } from './encode-common.ts';

/** Field numbers are those of opentelemetry/proto/trace/v1/trace.proto. */

const STATUS_ERROR = 2;
const SAMPLED_FLAG = 1;
/** Says that the next flag tells whether the parent is in another process. */
const HAS_IS_REMOTE_FLAG = 0x100;

export function encodeSpan(span: Span): Uint8Array {
  const out = new PbfWriter();
  out.writeBytesField(1, Buffer.from(span.traceId, 'hex'));
  out.writeBytesField(2, Buffer.from(span.spanId, 'hex'));
  if (span.traceState !== undefined) out.writeStringField(3, span.traceState);
  if (span.parentSpanId !== undefined) out.writeBytesField(4, Buffer.from(span.parentSpanId, 'hex'));
  out.writeStringField(5, span.name.toWellFormed());
  out.writeVarintField(6, span.kind);
  writeTime(7, span.startedAtMs, out);
  // Two clock reads may differ, and collectors drop spans that end before they start.
  writeTime(8, Math.max(span.startedAtMs, span.endedAtMs), out);
  writeAttributes(9, span.attributes, out);
  for (const event of span.events ?? []) out.writeMessage(11, writeEvent, event);
  for (const link of span.links ?? []) out.writeMessage(13, writeLink, link);
  if (span.error !== undefined) out.writeMessage(15, writeError, span.error);
  out.writeFixed32Field(16, HAS_IS_REMOTE_FLAG | (span.isSampled ? SAMPLED_FLAG : 0));
  return out.finish();
}

function writeLink({ spanId, traceId }: SpanLink, out: PbfWriter): void {
  out.writeBytesField(1, Buffer.from(traceId, 'hex'));
  out.writeBytesField(2, Buffer.from(spanId, 'hex'));
}

function writeEvent({ atMs, attributes = {}, name }: SpanEvent, out: PbfWriter): void {
  writeTime(1, atMs, out);
  out.writeStringField(2, name);
  writeAttributes(3, attributes, out);
}

function writeError(message: string, out: PbfWriter): void {
  if (message !== '') out.writeStringField(2, message.toWellFormed());
  out.writeVarintField(3, STATUS_ERROR);
}

/** Attributes and names that all spans of a process share. */
export interface TraceSource {
  resource: Attributes;
  scope: Scope;
  schemaUrl: string;
}

/** Encodes an ExportTraceServiceRequest. @param spans from `encodeSpan` */
export function encodeTraces(source: TraceSource, spans: readonly Uint8Array[]): Uint8Array {
  const out = new PbfWriter();
  out.writeMessage(1, writeResourceSpans, { source, spans });
  return out.finish();
}

interface SpansOfSource {
  source: TraceSource;
  spans: readonly Uint8Array[];
}

function writeResourceSpans(all: SpansOfSource, out: PbfWriter): void {
  out.writeMessage(1, writeResource, all.source.resource);
  out.writeMessage(2, writeScopeSpans, all);
}

function writeScopeSpans({ source, spans }: SpansOfSource, out: PbfWriter): void {
  out.writeMessage(1, writeScope, source.scope);
  for (const span of spans) out.writeBytesField(2, span);
  out.writeStringField(3, source.schemaUrl);
}
