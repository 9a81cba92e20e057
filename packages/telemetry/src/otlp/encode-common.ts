import type { PbfWriter } from 'pbf';
import type { Attributes, AttributeValue } from '../span.ts';

/**
 * Field numbers are those of opentelemetry-proto 1.x (opentelemetry/proto/common/v1/common.proto and
 * resource/v1/resource.proto); a long test sends them to a real collector.
 */

/** Longer texts are cut, because collectors refuse messages of more than 4 MiB. */
const MAX_TEXT_LENGTH = 32 * 1024;

export function writeAttributes(field: number, attributes: Attributes, out: PbfWriter): void {
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined) out.writeMessage(field, writeKeyValue, { name, value });
  }
}

interface KeyValue {
  name: string;
  value: NonNullable<AttributeValue>;
}

function writeKeyValue({ name, value }: KeyValue, out: PbfWriter): void {
  out.writeStringField(1, name);
  out.writeMessage(2, writeValue, value);
}

function writeValue(value: KeyValue['value'], out: PbfWriter): void {
  if (typeof value === 'string') out.writeStringField(1, cutText(value));
  else if (typeof value === 'boolean') out.writeBooleanField(2, value);
  else if (typeof value === 'number') writeNumber(value, out);
  else if ('double' in value) out.writeDoubleField(4, value.double);
  else out.writeMessage(5, writeTexts, value);
}

function writeNumber(value: number, out: PbfWriter): void {
  if (Number.isSafeInteger(value)) out.writeVarintField(3, value);
  else out.writeDoubleField(4, value);
}

function writeTexts(texts: readonly string[], out: PbfWriter): void {
  for (const text of texts) out.writeMessage(1, writeValue, text);
}

/** Lone surrogates have no UTF-8, and one would make the whole message unreadable. */
function cutText(text: string): string {
  return (text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : text).toWellFormed();
}

export function writeResource(attributes: Attributes, out: PbfWriter): void {
  writeAttributes(1, attributes, out);
}

export interface Scope {
  name: string;
  version: string;
}

export function writeScope({ name, version }: Scope, out: PbfWriter): void {
  out.writeStringField(1, name);
  out.writeStringField(2, version);
}

/** Writes Unix milliseconds as nanoseconds. A number holds them to within a quarter of a microsecond. */
export function writeTime(field: number, atMs: number, out: PbfWriter): void {
  out.writeFixed64Field(field, Math.round(atMs * 1e6));
}
