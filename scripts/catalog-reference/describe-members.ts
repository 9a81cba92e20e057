import type { z } from 'zod';

type Schema = z.core.JSONSchema.BaseSchema;
type Member = z.core.JSONSchema._JSONSchema;

/** An object in the file: its place and its members. */
export interface Section {
  /** For example `models[].pricing`; empty: the file itself. */
  path: string;
  description: string;
  members: DescribedMember[];
}

export interface DescribedMember {
  name: string;
  value: string;
  /** The default; undefined: required. */
  byDefault: string | undefined;
  description: string;
}

/**
 * The objects of a file, outer ones before inner ones.
 * @throws when something has no description, or is of an unknown kind
 */
export function describeMembers(schema: Schema, path = '', description = ''): Section[] {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    schema: requireSchema(member, place(path, name)),
    path: place(path, name),
  }));
  const own: Section = {
    path,
    description,
    members: members.map((member) => ({
      name: member.name,
      value: textOfValue(member.schema, member.path),
      byDefault: defaultOf(schema, member.name, member.schema),
      description: descriptionOf(member.schema, member.path),
    })),
  };
  return [
    own,
    ...members.flatMap((member) =>
      objectsIn(member.schema, member.path).flatMap((inner) =>
        describeMembers(
          inner.schema,
          inner.path,
          inner.schema.description ?? descriptionOf(member.schema, member.path),
        ),
      ),
    ),
  ];
}

function place(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function requireSchema(member: Member | undefined, path: string): Schema {
  if (typeof member !== 'object') throw new Error(`${path} has no schema`);
  return member;
}

function descriptionOf({ description }: Schema, path: string): string {
  if (description === undefined) throw new Error(`${path} has no description`);
  return description;
}

/** The object that a member is, or the kinds of objects that it is a list of: the usual one first. */
function objectsIn(schema: Schema, path: string): { schema: Schema; path: string }[] {
  if (schema.properties !== undefined) return [{ schema, path }];
  if (schema.type !== 'array' || Array.isArray(schema.items)) return [];
  const items = requireSchema(schema.items, path);
  const kinds = (items.oneOf ?? [items]).map((kind) => requireSchema(kind, path));
  return kinds.flatMap((kind) =>
    kind.properties === undefined ? [] : [{ schema: kind, path: `${path}[${kindCondition(kind)}]` }],
  );
}

/** Returns the condition for an entry of this kind; empty: none. */
function kindCondition({ properties, required }: Schema): string {
  const kind = required?.includes('kind') === true ? properties?.kind : undefined;
  return typeof kind === 'object' && kind.const !== undefined ? `kind: ${kind.const}` : '';
}

function defaultOf(parent: Schema, name: string, schema: Schema): string | undefined {
  if (parent.required?.includes(name)) return undefined;
  const { default: value } = schema;
  if (typeof value === 'number') return count(value);
  return typeof value === 'string' && value !== '' ? `\`${value}\`` : '–';
}

function textOfValue(schema: Schema, path: string): string {
  if (schema.title !== undefined) return schema.title;
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const links = objectsIn(schema, path).map((inner) => `[\`${inner.path}\`](#${anchorOf(inner.path)})`);
  if (links.length > 0) return `${schema.type === 'array' ? 'list of ' : ''}${links.join(' and ')}`;
  if (schema.type === 'integer') return `whole number${range(schema)}`;
  if (schema.type === 'number') return `number${range(schema)}`;
  if (schema.type === 'string')
    return `text${schema.maxLength === undefined ? '' : ` of up to ${count(schema.maxLength)} characters`}`;
  if (schema.type === 'array') return 'list of texts';
  throw new Error(`${path} is of a kind that is not known here`);
}

function range({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  return maximum === Number.MAX_SAFE_INTEGER
    ? ` from ${count(minimum)}`
    : `, ${count(minimum)} to ${count(maximum)}`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9_ -]/g, '')
    .replaceAll(' ', '-');
}
