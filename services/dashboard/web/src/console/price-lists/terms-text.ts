import { parse, stringify } from 'yaml';
import type { RequestOf, ResponseOf } from '../../../../wire/management.ts';

type Version = ResponseOf<'createPriceList'>['version'];
export type Terms = NonNullable<RequestOf<'addPriceListVersion'>['body']>;

/** Describes a version in a few words, such as `Factor 1.2, 3 exceptions`. */
export function termsSummary({ factor, models }: Version): string {
  const exceptions = models.length === 1 ? '1 exception' : `${models.length} exceptions`;
  return models.length === 0 ? `Factor ${factor}` : `Factor ${factor}, ${exceptions}`;
}

/** Returns the exceptions of a version as YAML; empty: none. */
export function exceptionsText(models: Version['models']): string {
  return models.length === 0 ? '' : stringify(models, { lineWidth: 0 });
}

/** Reads exceptions. The server checks what is in them. @returns undefined if they are no list in YAML */
export function readExceptions(text: string): NonNullable<Terms['models']> | undefined {
  try {
    const value: unknown = text.trim() === '' ? [] : parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
