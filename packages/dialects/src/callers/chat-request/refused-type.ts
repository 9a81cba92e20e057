import type { GatewayError } from '@model-gateway/shared';
import type { FieldReader } from '../../translation/field-reader.ts';

/** The version at the end of a type: `_20250728`, `_2025_03_11`. */
const DATE = /_\d{4}_?\d{2}_?\d{2}$/;

/** Returns the name of a type in the rules. @param kind `content`, `tools` or `input` */
export function nameOfType(kind: string, type: string): string {
  return `${kind}[${type.replace(DATE, '')}]`;
}

export function refusedType(reader: FieldReader, kind: string, type: string, path: string): GatewayError {
  const why = reader.rule(nameOfType(kind, type))?.note;
  return reader.refusal(`${path}.type`, why ?? `takes nothing of the type "${type.slice(0, 100)}" here`);
}
