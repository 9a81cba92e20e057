import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';
import type { Workspace } from './workspace.ts';

const DATABASE_FILES = /^services\/dashboard\/src\/(context|.+-store)\.ts$/;
const OWN_MODEL = /^Dashboard/;
/** Computed names, and SQL that is not written out: no table can be found in them. */
const UNREADABLE = /^(\[.*\]|\$\w+Unsafe|\$queryRawTyped|raw)$/s;

interface Table {
  /** The name in the Prisma client: `apiKey`. */
  model: string;
  /** The name in SQL: `api_keys`. */
  name: string;
}

/** One line for each place where the dashboard's server names a table that is not its own. */
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

/** Looks at every property that is read, whatever it is read from: a database client can have any name. */
function namesIn(source: string, foreign: readonly Table[]): { line: number; name: string }[] {
  const models = new Set(foreign.map(({ model }) => model));
  const found: { line: number; name: string }[] = [];
  const report = (node: Node, name: string) =>
    found.push({ line: source.slice(0, node.start).split('\n').length, name });
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (isNode(node)) {
      for (const name of propertiesRead(node, source)) {
        if (models.has(name) || UNREADABLE.test(name)) report(node, name);
      }
      for (const { name } of node.type === 'TaggedTemplateExpression' ? foreign : []) {
        if (new RegExp(`\\b${name}\\b`, 'i').test(source.slice(node.start, node.end))) report(node, name);
      }
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return found;
}

interface Node {
  type: string;
  start: number;
  end: number;
}

/** Finds `a.name`, `a['name']` and `const { name } = a`; of a computed name what the brackets hold. */
function propertiesRead(node: Node, source: string): string[] {
  if (node.type === 'MemberExpression' && 'property' in node) {
    return [nameOf(node.property, 'computed' in node && node.computed === true, source)];
  }
  if (node.type !== 'ObjectPattern' || !('properties' in node) || !Array.isArray(node.properties)) return [];
  return node.properties.flatMap((property: unknown) =>
    typeof property === 'object' && property !== null && 'key' in property
      ? [nameOf(property.key, 'computed' in property && property.computed === true, source)]
      : [],
  );
}

function nameOf(key: unknown, computed: boolean, source: string): string {
  if (typeof key !== 'object' || key === null) return '';
  if ('value' in key) return String(key.value);
  if (!computed && 'name' in key) return String(key.name);
  return isNode(key) ? `[${source.slice(key.start, key.end)}]` : '';
}

function isNode(value: object): value is Node {
  return (
    'type' in value && typeof value.type === 'string' && 'start' in value && typeof value.start === 'number'
  );
}
