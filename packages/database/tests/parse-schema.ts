import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SCHEMA = fileURLToPath(new URL('../../../prisma/schema.prisma', import.meta.url));

/** One line per column: `table.column type, null or not, default or none`. */
export interface SchemaFacts {
  columns: string[];
  /** `table(columns)`, prefixed by `primary`, `unique` or `index`. */
  indexes: string[];
  /** `table(columns) -> table(columns) on delete action`. */
  foreignKeys: string[];
}

interface Field {
  name: string;
  type: string;
  suffix: string;
  attributes: string;
}

const TYPES: Record<string, string> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Bytes: 'bytea',
  Json: 'jsonb',
  DateTime: 'timestamp(3) with time zone',
};

/** Reads prisma/schema.prisma, as far as the file uses Prisma's language. */
export function parseSchema(): SchemaFacts {
  const text = readFileSync(SCHEMA, 'utf8').replace(/^\s*\/\/.*$/gm, '');
  const models = new Map([...text.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)].map(parseModel));
  const model = (name: string) => {
    const found = models.get(name);
    if (found === undefined) throw new Error(`the schema has no model ${name}`);
    return found;
  };
  const facts: SchemaFacts = { columns: [], indexes: [], foreignKeys: [] };
  for (const { table, fields, blocks } of models.values()) {
    const columnsOf = (of: Map<string, Field>, list = '') =>
      list
        .split(',')
        .map((name) => columnName(of.get(name.trim()), name))
        .join(', ');
    for (const field of fields.values()) {
      const { type, suffix, attributes } = field;
      if (models.has(type)) {
        const relation = attributes.match(/@relation\(fields: \[(.*?)\], references: \[(.*?)\](.*?)\)/);
        if (relation === null) continue;
        const target = model(type);
        const onDelete =
          relation[3]?.match(/onDelete: (\w+)/)?.[1] ?? (suffix === '?' ? 'SetNull' : 'Restrict');
        facts.foreignKeys.push(
          `${table}(${columnsOf(fields, relation[1])}) -> ` +
            `${target.table}(${columnsOf(target.fields, relation[2])}) on delete ${onDelete}`,
        );
        continue;
      }
      const column = columnName(field, field.name);
      // Prisma has no nullable lists, but their columns are nullable.
      const nullability = suffix === '' ? 'not null' : 'null';
      const standard = attributes.includes('@default(') ? 'default' : 'no default';
      facts.columns.push(`${table}.${column} ${typeName(field)}, ${nullability}, ${standard}`);
      if (/@id\b/.test(attributes)) facts.indexes.push(`primary ${table}(${column})`);
      if (/@unique\b/.test(attributes)) facts.indexes.push(`unique ${table}(${column})`);
    }
    for (const [, kind = '', list] of blocks.matchAll(/@@(id|unique|index)\(\[(.*?)\]/g)) {
      const word = kind === 'id' ? 'primary' : kind;
      facts.indexes.push(`${word} ${table}(${columnsOf(fields, list)})`);
    }
  }
  return facts;
}

function parseModel([, name = '', body = '']: RegExpMatchArray) {
  const fields = new Map(
    [...body.matchAll(/^ {2}(\w+)\s+(\w+)(\?|\[\])?(.*)$/gm)].map(
      ([, field = '', type = '', suffix = '', attributes = '']) =>
        [field, { name: field, type, suffix, attributes }] as const,
    ),
  );
  const table = body.match(/@@map\("(\w+)"\)/)?.[1] ?? name;
  return [name, { table, fields, blocks: body }] as const;
}

function columnName(field: Field | undefined, name: string): string {
  if (field === undefined) throw new Error(`the schema names a field ${name} that it does not have`);
  return field.attributes.match(/@map\("(\w+)"\)/)?.[1] ?? field.name;
}

function typeName({ name, type, suffix, attributes }: Field): string {
  const known = TYPES[type];
  if (known === undefined || (type === 'DateTime') !== attributes.includes('@db.Timestamptz(3)'))
    throw new Error(`the type of ${name} is not known to this test: ${type}${attributes}`);
  return suffix === '[]' ? `${known}[]` : known;
}
