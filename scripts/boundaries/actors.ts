import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';
import { isTest } from './imports.ts';
import type { Workspace } from './workspace.ts';

const CONTROL_PLANE = 'services/control-plane/src/';
const HANDLERS = `${CONTROL_PLANE}rpc/`;
const MAKES_ACTORS = [`${CONTROL_PLANE}actors/actor.ts`, `${HANDLERS}derive-actor.ts`];
/** Make handlers (services/control-plane/src/rpc/unary.ts). */
const MAKERS = new Set(['change', 'read', 'traffic']);

/**
 * Returns a line for each place in the control plane where a change could lose its actor: a handler that does
 * not hand it to a verb, one whose name hides that it changes something, and an actor that is made up.
 */
export function lostActors({ files, folder }: Workspace): string[] {
  return files
    .filter((file) => file.startsWith(CONTROL_PLANE) && !isTest(file))
    .flatMap((file) => {
      const source = readFileSync(join(folder, file), 'utf8');
      const found = [
        ...(file.startsWith(HANDLERS) ? brokenHandlers(source) : []),
        ...(MAKES_ACTORS.includes(file) ? [] : madeUp(source)),
      ];
      return found.map(({ at, says }) => `${file}:${source.slice(0, at).split('\n').length} ${says}`);
    });
}

interface Found {
  at: number;
  says: string;
}

function madeUp(source: string): Found[] {
  return [...source.matchAll(/\bway: '/g)].map(({ index }) => ({
    at: index,
    says: 'makes up an actor: it comes from authentication alone (rpc/derive-actor.ts)',
  }));
}

/** Finds `Name: change(context, 'Name', by, handler)`, and so for the other makers. */
function brokenHandlers(source: string): Found[] {
  return nodesIn(parseAst(source, { lang: 'ts' }), 'Property').flatMap((property): Found[] => {
    const made = nodeOf(property, 'value');
    const maker = nameOf(nodeOf(made, 'callee'));
    if (made === undefined || maker === undefined || !MAKERS.has(maker)) return [];
    const method = nameOf(nodeOf(property, 'key'));
    const [, named, , handler] = listOf(made, 'arguments');
    if (named === undefined || !('value' in named) || named.value !== method) {
      return [{ at: made.start, says: `gives the handler of ${method} another name` }];
    }
    if (maker !== 'change' || handsActorOn(handler)) return [];
    return [{ at: made.start, says: `changes something in ${method} and hands its actor to no verb` }];
  });
}

/** Returns whether a handler passes its first parameter on: `verb(context, actor, request)`. */
function handsActorOn(handler: Node | undefined): boolean {
  const actor = handler && nameOf(listOf(handler, 'params')[0]);
  return (
    actor !== undefined &&
    nodesIn(handler, 'CallExpression').some((call) => {
      const [context, second] = listOf(call, 'arguments');
      return nameOf(context) === 'context' && nameOf(second) === actor;
    })
  );
}

interface Node {
  type: string;
  start: number;
}

function nodesIn(value: unknown, type: string): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap((child) => nodesIn(child, type));
  return isNode(value) && value.type === type ? [value, ...inside] : inside;
}

function nodeOf(node: Node | undefined, member: string): Node | undefined {
  const value: unknown = node && Object.entries(node).find(([name]) => name === member)?.[1];
  return isNode(value) ? value : undefined;
}

function listOf(node: Node, member: string): Node[] {
  const value: unknown = Object.entries(node).find(([name]) => name === member)?.[1];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function nameOf(node: Node | undefined): string | undefined {
  return node?.type === 'Identifier' && 'name' in node ? String(node.name) : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
