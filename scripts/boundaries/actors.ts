import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTest } from './imports.ts';
import { isNode, lineAt, listOf, nameOf, nodesIn, parseNodes } from './syntax-tree.ts';
import type { Workspace } from './workspace.ts';

const CONTROL_PLANE = 'services/control-plane/src/';
const HANDLERS = `${CONTROL_PLANE}rpc/`;
const MAKES_ACTORS = [`${CONTROL_PLANE}actors/actor.ts`, `${HANDLERS}derive-actor.ts`];
/** Functions that make handlers (services/control-plane/src/rpc/unary.ts). */
const MAKERS = new Set(['change', 'read', 'traffic']);

/**
 * Returns a line for each place in the control plane where a change could lose its actor: a handler that
 * passes it to no verb or has another name than its method, and an actor that is not authenticated.
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
      return found.map(({ at, says }) => `${file}:${lineAt(source, at)} ${says}`);
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

/** Checks each `Name: change(context, 'Name', by, handler)`, and the same with the other makers. */
function brokenHandlers(source: string): Found[] {
  return parseNodes(source).flatMap(({ type, key, value: made }): Found[] => {
    const maker = type === 'Property' && isNode(made) ? nameOf(made.callee) : undefined;
    if (!isNode(made) || maker === undefined || !MAKERS.has(maker)) return [];
    const method = nameOf(key);
    const [, named, , handler] = listOf(made.arguments);
    if (method === undefined || named?.value !== method)
      return [{ at: made.start, says: `gives the handler of ${method} another name` }];
    if (maker !== 'change' || handsActorOn(handler?.params, handler)) return [];
    return [{ at: made.start, says: `changes something in ${method} and hands its actor to no verb` }];
  });
}

/** Returns whether a handler passes its first parameter on: `verb(context, actor, request)`. */
function handsActorOn(params: unknown, handler: unknown): boolean {
  const actor = nameOf(listOf(params)[0]);
  return nodesIn(handler).some((node) => {
    const [context, second] = node.type === 'CallExpression' ? listOf(node.arguments) : [];
    return actor !== undefined && nameOf(context) === 'context' && nameOf(second) === actor;
  });
}
