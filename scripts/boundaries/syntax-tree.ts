import { parseAst } from 'vitest/node';

/** A node of a syntax tree, with the members that the checks read. */
export interface Node {
  type: string;
  start: number;
  end: number;
  arguments?: unknown;
  body?: unknown;
  callee?: unknown;
  computed?: unknown;
  declaration?: unknown;
  declarations?: unknown;
  id?: unknown;
  imported?: unknown;
  init?: unknown;
  key?: unknown;
  local?: unknown;
  name?: unknown;
  object?: unknown;
  params?: unknown;
  properties?: unknown;
  property?: unknown;
  source?: unknown;
  specifiers?: unknown;
  typeAnnotation?: unknown;
  typeName?: unknown;
  value?: unknown;
}

/** Returns all nodes of a source file, outer ones first. */
export function parseNodes(source: string, lang: 'ts' | 'tsx' = 'ts'): Node[] {
  return nodesIn(parseAst(source, { lang }));
}

export function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(nodesIn);
  return isNode(value) ? [value, ...inside] : inside;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Returns the nodes of a member that is a list, such as `arguments`. */
export function listOf(member: unknown): Node[] {
  return Array.isArray(member) ? member.filter(isNode) : [];
}

/** Returns the name of an identifier. */
export function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? String(node.name) : undefined;
}

export function lineAt(source: string, position: number): number {
  return source.slice(0, position).split('\n').length;
}
