import { Prisma } from '@model-gateway/database';
import { invalidFilter } from '../scim-error.ts';
import type { AttributePath, Filter, Operator, Value } from './parse-filter.ts';

/** SQL of an attribute. */
export type Column =
  /** `sql` is in lower case where `ignoresCase`. */
  | { type: 'text'; sql: Prisma.Sql; ignoresCase?: true }
  | { type: 'boolean' | 'time'; sql: Prisma.Sql }
  /** Attribute with several values: `exists` wraps the condition on one of them. */
  | {
      type: 'values';
      columns: Columns;
      exists: (condition: Prisma.Sql) => Prisma.Sql;
      /** Further condition that an index serves, for `eq` on its default sub-attribute. */
      hasValue?: (value: string) => Prisma.Sql;
    };

/** Columns by name in lower case, such as `name.givenname`. */
export type Columns = ReadonlyMap<string, Column>;

const DEFAULT_SUB = 'value';
const EARLIEST_MS = Date.UTC(0, 0, 1);

/** Converts a filter to an SQL condition with parameters. @throws ScimError 400 invalidFilter */
export function filterSql(filter: Filter, columns: Columns): Prisma.Sql {
  switch (filter.kind) {
    case 'and':
      return Prisma.sql`(${filterSql(filter.left, columns)} AND ${filterSql(filter.right, columns)})`;
    case 'or':
      return Prisma.sql`(${filterSql(filter.left, columns)} OR ${filterSql(filter.right, columns)})`;
    case 'not':
      return Prisma.sql`(NOT ${filterSql(filter.of, columns)})`;
    case 'present':
      return onColumn(filter.path, columns, (column) => Prisma.sql`(${presence(column)})`);
    case 'compare': {
      const { operator, path, value } = filter;
      const condition = onColumn(path, columns, (column) => comparison(column, operator, value));
      const indexed = indexedCondition(filter, columns);
      return indexed === undefined ? condition : Prisma.sql`(${indexed} AND ${condition})`;
    }
  }
}

function onColumn(
  path: AttributePath,
  columns: Columns,
  condition: (column: Exclude<Column, { type: 'values' }>) => Prisma.Sql,
): Prisma.Sql {
  const single = columns.get([path.attribute, ...(path.sub === undefined ? [] : [path.sub])].join('.'));
  if (single !== undefined && single.type !== 'values' && path.where === undefined) return condition(single);
  const several = columns.get(path.attribute);
  if (several?.type !== 'values') throw unknownAttribute(path);
  const column = several.columns.get(path.sub ?? DEFAULT_SUB);
  if (column === undefined || column.type === 'values') throw unknownAttribute(path);
  const where =
    path.where === undefined ? Prisma.empty : Prisma.sql`${filterSql(path.where, several.columns)} AND `;
  return several.exists(Prisma.sql`${where}${condition(column)}`);
}

function indexedCondition(
  { operator, path, value }: Extract<Filter, { kind: 'compare' }>,
  columns: Columns,
): Prisma.Sql | undefined {
  const column = columns.get(path.attribute);
  if (column?.type !== 'values' || operator !== 'eq' || (path.sub ?? DEFAULT_SUB) !== DEFAULT_SUB) return;
  return column.hasValue?.(String(value).toLowerCase());
}

function unknownAttribute({ attribute, sub }: AttributePath) {
  return invalidFilter(`cannot filter by ${sub === undefined ? attribute : `${attribute}.${sub}`}`);
}

function presence(column: Exclude<Column, { type: 'values' }>): Prisma.Sql {
  return column.type === 'text' ? Prisma.sql`${column.sql} <> ''` : Prisma.sql`${column.sql} IS NOT NULL`;
}

function comparison(
  column: Exclude<Column, { type: 'values' }>,
  operator: Operator,
  value: Value,
): Prisma.Sql {
  const { sql } = column;
  switch (column.type) {
    case 'text':
      return textComparison(sql, operator, column.ignoresCase ? textOf(value).toLowerCase() : textOf(value));
    case 'boolean':
      if (operator === 'eq') return Prisma.sql`${sql} = ${booleanOf(value)}`;
      if (operator === 'ne') return Prisma.sql`${sql} <> ${booleanOf(value)}`;
      throw invalidFilter(`${operator} cannot compare booleans: use eq or ne`);
    case 'time':
      return ordered(sql, operator, timeOf(value)) ?? wrongOperator(operator);
  }
}

function textComparison(sql: Prisma.Sql, operator: Operator, value: string): Prisma.Sql {
  switch (operator) {
    case 'co':
      return Prisma.sql`strpos(${sql}, ${value}) > 0`;
    case 'sw':
      return Prisma.sql`starts_with(${sql}, ${value})`;
    case 'ew':
      return Prisma.sql`right(${sql}, length(${value})) = ${value}`;
    default:
      return ordered(sql, operator, value) ?? wrongOperator(operator);
  }
}

function ordered(sql: Prisma.Sql, operator: Operator, value: string | Date): Prisma.Sql | undefined {
  switch (operator) {
    case 'eq':
      return Prisma.sql`${sql} = ${value}`;
    case 'ne':
      return Prisma.sql`${sql} IS DISTINCT FROM ${value}`;
    case 'gt':
      return Prisma.sql`${sql} > ${value}`;
    case 'ge':
      return Prisma.sql`${sql} >= ${value}`;
    case 'lt':
      return Prisma.sql`${sql} < ${value}`;
    case 'le':
      return Prisma.sql`${sql} <= ${value}`;
    default:
      return undefined;
  }
}

function wrongOperator(operator: Operator): never {
  throw invalidFilter(`${operator} cannot be used with this attribute`);
}

function textOf(value: Value): string {
  if (typeof value === 'string' && !value.includes('\0')) return value;
  throw invalidFilter('expected a text in double quotes');
}

/** Entra ID writes booleans as text. */
function booleanOf(value: Value): boolean {
  const text = String(value).toLowerCase();
  if (text === 'true' || text === 'false') return text === 'true';
  throw invalidFilter('expected true or false');
}

function timeOf(value: Value): Date {
  const time = typeof value === 'string' ? new Date(value) : undefined;
  // The database has no times that are much earlier.
  if (time !== undefined && time.getTime() >= EARLIEST_MS) return time;
  throw invalidFilter('expected a time such as "2026-01-31T12:00:00Z"');
}
