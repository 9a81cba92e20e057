import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNode, lineAt, listOf, type Node, parseNodes } from './syntax-tree.ts';
import type { Workspace } from './workspace.ts';

const DATABASE_FILES = /^services\/dashboard\/src\/(context|.+-store)\.ts$/;
const OWN_MODEL = /^Dashboard/;
/** Computed names and SQL built at run time, in which no table can be found. */
const UNREADABLE = /^(\[.*\]|\$\w+Unsafe|\$queryRawTyped|raw)$/s;

interface Table {
  /** The name in the Prisma client: `apiKey`. */
  model: string;
  /** The name in SQL: `api_keys`. */
  name: string;
}

/** Returns a line for each place where the dashboard's server names a table that is not its own. */
export function foreignTables(workspace: Workspace): string[] {
  const files = workspace.files.filter((file) => DATABASE_FILES.test(file) && !file.endsWith('.test.ts'));
  if (files.length === 0) return [];
  const foreign = foreignTo(readFileSync(join(workspace.folder, 'prisma/schema.prisma'), 'utf8'));
  return files.flatMap((file) =>
    namesIn(readFileSync(join(workspace.folder, file), 'utf8'), foreign).map(
      ({ line, name }) => `${file}:${line} names ${name}: the dashboard opens its own sign-in tables alone`,
    ),
  );
}

function foreignTo(schema: string): Table[] {
  const models = [...schema.matchAll(/^model (\w+) \{$(.*?)^\}$/gms)];
  return models
    .filter(([, model = '']) => !OWN_MODEL.test(model))
    .map(([, model = '', body = '']) => ({
      model: model.charAt(0).toLowerCase() + model.slice(1),
      name: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? model,
    }));
}

/** Checks every property that is read, of any object: a database client can have any name. */
function namesIn(source: string, foreign: readonly Table[]): { line: number; name: string }[] {
  const models = new Set(foreign.map(({ model }) => model));
  return parseNodes(source).flatMap((node) => {
    const read = propertiesRead(node, source).filter((name) => models.has(name) || UNREADABLE.test(name));
    const sql = node.type === 'TaggedTemplateExpression' ? source.slice(node.start, node.end) : '';
    const queried = foreign.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(sql));
    return [...read, ...queried.map(({ name }) => name)].map((name) => ({
      line: lineAt(source, node.start),
      name,
    }));
  });
}

/** Finds `a.name`, `a['name']` and `const { name } = a`; for a computed name, the text in the brackets. */
function propertiesRead({ type, property, properties, computed }: Node, source: string): string[] {
  if (type === 'MemberExpression') return [keyText(property, computed === true, source)];
  if (type !== 'ObjectPattern') return [];
  return listOf(properties).map((each) => keyText(each.key, each.computed === true, source));
}

function keyText(key: unknown, computed: boolean, source: string): string {
  if (!isNode(key)) return '';
  if (key.value !== undefined) return String(key.value);
  if (!computed && key.name !== undefined) return String(key.name);
  return `[${source.slice(key.start, key.end)}]`;
}
