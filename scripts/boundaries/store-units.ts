import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isNode, listOf, type Node, nameOf, nodesIn, parseNodes } from './syntax-tree.ts';

/** A function or constant at the top of a file, or a method of a class there. */
export interface Unit {
  file: string;
  source: string;
  /** `name`; of a method `Class.name`. */
  name: string;
  className: string | undefined;
  node: Node;
  params: readonly Node[];
  /** Maps names that the file imports to `file#name`. */
  imports: ReadonlyMap<string, string>;
}

export function readUnits(folder: string, files: readonly string[]): Unit[] {
  return files.flatMap((file) => {
    const source = readFileSync(join(folder, file), 'utf8');
    const top = listOf(parseNodes(source)[0]?.body);
    const imports = new Map(top.flatMap((statement) => importsIn(file, statement)));
    return top.flatMap((statement) => {
      const declared = isNode(statement.declaration) ? statement.declaration : statement;
      return unitsIn(declared).map((unit) => ({ file, source, imports, ...unit }));
    });
  });
}

function importsIn(file: string, { source, specifiers }: Node): [string, string][] {
  const path = isNode(source) && typeof source.value === 'string' ? source.value : '';
  if (!path.startsWith('.')) return [];
  const target = posix.join(posix.dirname(file), path);
  return listOf(specifiers).map(({ imported, local }) => [
    nameOf(local) ?? '',
    `${target}#${nameOf(imported)}`,
  ]);
}

function unitsIn(declared: Node): Pick<Unit, 'name' | 'className' | 'node' | 'params'>[] {
  const { body, declarations, id, params, type } = declared;
  const name = nameOf(id) ?? '';
  if (type === 'FunctionDeclaration')
    return [{ name, className: undefined, node: declared, params: listOf(params) }];
  if (type === 'VariableDeclaration')
    return listOf(declarations).map((node) => ({
      ...{ name: nameOf(node.id) ?? '', className: undefined, node },
      params: isNode(node.init) ? listOf(node.init.params) : [],
    }));
  if (type !== 'ClassDeclaration' || !isNode(body)) return [];
  return listOf(body.body).map((node) => ({
    name: `${name}.${keyName(node.key)}`,
    className: name,
    node,
    params: isNode(node.value) ? listOf(node.value.params) : [],
  }));
}

/** Returns the units that a unit names: functions and constants of its file or imported, and own methods. */
export function unitsNamedIn(unit: Unit, units: readonly Unit[]): Unit[] {
  const names = new Set(
    nodesIn(unit.node).flatMap((node): string[] => {
      const name = nameOf(node);
      if (name !== undefined) return [unit.imports.get(name) ?? `${unit.file}#${name}`];
      if (node.type !== 'MemberExpression' || !isNode(node.object) || node.object.type !== 'ThisExpression')
        return [];
      return [`${unit.file}#${unit.className}.${keyName(node.property)}`];
    }),
  );
  return units.filter(({ file, name }) => name !== unit.name && names.has(`${file}#${name}`));
}

export function callsIn(nodes: readonly Node[]): Node[] {
  return nodes.flatMap((node) => nodesIn(node)).filter(({ type }) => type === 'CallExpression');
}

/** Returns true if a call passes the actor of its unit; a method takes it first. */
export function passesActor({ className, params }: Unit, call: Node): boolean {
  const actors = (className === undefined ? params : params.slice(0, 1)).filter(isActor).map(nameOf);
  return listOf(call.arguments).some((argument) => {
    const name = nameOf(argument);
    return name !== undefined && actors.includes(name);
  });
}

/** Matches a parameter whose type is Actor, or one of its types such as UserActor. */
function isActor({ typeAnnotation }: Node): boolean {
  const reference = isNode(typeAnnotation) ? typeAnnotation.typeAnnotation : undefined;
  return isNode(reference) && (nameOf(reference.typeName)?.endsWith('Actor') ?? false);
}

function keyName(key: unknown): string {
  if (!isNode(key)) return '';
  return key.type === 'PrivateIdentifier' ? `#${String(key.name)}` : (nameOf(key) ?? '');
}
