import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

const entry = z.looseObject({ id: z.string() });
/** The members of a catalog file that are compared. */
const file = z.object({ providers: z.array(entry), models: z.array(entry) });
type Entry = z.infer<typeof entry>;

export interface FieldChange {
  /** Such as `pricing.input_per_million_usd` or `upstreams.0.weight`. */
  path: string;
  /** The value as text; null: there was none. */
  before: string | null;
  after: string | null;
}

export interface Difference {
  object: 'provider' | 'model';
  id: string;
  change: 'added' | 'changed' | 'retired';
  /** For an added or retired entry only its prices. */
  fields: FieldChange[];
}

/** Compares two catalog files field by field: what is added, changed and retired, each in this order. */
export function describeDifferences(before: object, after: object): Difference[] {
  const [old, current] = [file.parse(before), file.parse(after)];
  return [
    ...compareEntries('provider', old.providers, current.providers),
    ...compareEntries('model', old.models, current.models),
  ];
}

function compareEntries(
  object: Difference['object'],
  before: readonly Entry[],
  after: readonly Entry[],
): Difference[] {
  const old = new Map(before.map((each) => [each.id, each]));
  const current = new Map(after.map((each) => [each.id, each]));
  const added = after.filter(({ id }) => !old.has(id));
  const retired = before.filter(({ id }) => !current.has(id));
  const changed = after.flatMap((each) => {
    const fields = compareFields(old.get(each.id), each);
    return old.has(each.id) && fields.length > 0
      ? [{ object, id: each.id, change: 'changed' as const, fields }]
      : [];
  });
  return [
    ...added.map((each) => ({
      ...{ object, id: each.id, change: 'added' as const },
      fields: compareFields({}, { pricing: each.pricing }),
    })),
    ...changed,
    ...retired.map((each) => ({
      ...{ object, id: each.id, change: 'retired' as const },
      fields: compareFields({ pricing: each.pricing }, {}),
    })),
  ];
}

function compareFields(before: object = {}, after: object): FieldChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  const old = new Map(flatten(before));
  const current = new Map(flatten(after));
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((path) => {
    const change = { path, before: old.get(path) ?? null, after: current.get(path) ?? null };
    return change.before === change.after ? [] : [change];
  });
}

/** Lists paths and values of everything in a value. Lists of texts are one value. */
function flatten(value: unknown, path = ''): [path: string, text: string][] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return value.length === 0 ? [] : [[path, value.join(', ')]];
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([name, each]) =>
      flatten(each, path === '' ? name : `${path}.${name}`),
    );
  return [[path, textOf(path, value)]];
}

/** Writes times in one form, because the database does. */
function textOf(path: string, value: unknown): string {
  return path === 'deprecated_at' ? new Date(String(value)).toISOString() : String(value);
}
