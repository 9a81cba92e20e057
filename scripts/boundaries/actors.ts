import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTest } from './imports.ts';
import { isNode, lineAt, listOf, nameOf, nodesIn, parseNodes } from './syntax-tree.ts';
import type { Workspace } from './workspace.ts';

const CONTROL_PLANE = 'services/control-plane/src/';
const HANDLERS = `${CONTROL_PLANE}rpc/`;
const ACTOR_FILES = [
  `${CONTROL_PLANE}actors/actor.ts`,
  `${CONTROL_PLANE}scim-http/authenticate.ts`,
  `${HANDLERS}derive-actor.ts`,
];
/** Functions that build handlers (services/control-plane/src/rpc/unary.ts). */
const BUILDERS = new Set(['change', 'holderRead', 'read', 'traffic']);

/**
 * Returns a line for each place in the control plane where a change could be recorded without its actor: a
 * handler that does not pass it to an operation or names another method, and an actor that is not
 * authenticated.
 */
export function lostActors({ files, folder }: Workspace): string[] {
  return files
    .filter((file) => file.startsWith(CONTROL_PLANE) && !isTest(file))
    .flatMap((file) => {
      const source = readFileSync(join(folder, file), 'utf8');
      const found = [
        ...(file.startsWith(HANDLERS) ? brokenHandlers(source) : []),
        ...(ACTOR_FILES.includes(file) ? [] : forgedActors(source)),
      ];
      return found.map(({ at, says }) => `${file}:${lineAt(source, at)} ${says}`);
    });
}

interface Found {
  at: number;
  says: string;
}

function forgedActors(source: string): Found[] {
  return [...source.matchAll(/\bway: '/g)].map(({ index }) => ({
    at: index,
    says: 'creates an actor: only authentication may (rpc/derive-actor.ts)',
  }));
}

/** Checks each `Name: change(context, 'Name', by, handler)`, and the same with the other builders. */
function brokenHandlers(source: string): Found[] {
  return parseNodes(source).flatMap(({ type, key, value: call }): Found[] => {
    const builder = type === 'Property' && isNode(call) ? nameOf(call.callee) : undefined;
    if (!isNode(call) || builder === undefined || !BUILDERS.has(builder)) return [];
    const method = nameOf(key);
    const [, named, , handler] = listOf(call.arguments);
    if (method === undefined || named?.value !== method)
      return [{ at: call.start, says: `gives the handler of ${method} another name` }];
    if (builder !== 'change' || passesActor(handler?.params, handler)) return [];
    return [{ at: call.start, says: `changes something in ${method} but passes its actor to no operation` }];
  });
}

/** Returns true if a handler passes its first parameter on: `operation(context, actor, request)`. */
function passesActor(params: unknown, handler: unknown): boolean {
  const actor = nameOf(listOf(params)[0]);
  return nodesIn(handler).some((node) => {
    const [context, second] = node.type === 'CallExpression' ? listOf(node.arguments) : [];
    return actor !== undefined && nameOf(context) === 'context' && nameOf(second) === actor;
  });
}
