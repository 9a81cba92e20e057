import type { GatewayError } from '@model-gateway/shared';
import type { FieldReader } from '../../translation/field-reader.ts';

/** The date of a version at the end of a type: `_20250728`, `_2025_03_11`. */
const DATE = /_\d{4}_?\d{2}_?\d{2}$/;

/** The name by which the rules know a type. @param kind where it stands: `content`, `tools`, `input` */
export function nameOfType(kind: string, type: string): string {
  return `${kind}[${type.replace(DATE, '')}]`;
}

/** The error for a type that is not translated. */
export function refusedType(reader: FieldReader, kind: string, type: string, path: string): GatewayError {
  const why = reader.rule(nameOfType(kind, type))?.note;
  return reader.refusal(`${path}.type`, why ?? `takes nothing of the type "${type.slice(0, 100)}" here`);
}
