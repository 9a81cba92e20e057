import { createHash } from 'node:crypto';
import type { CallableTool } from '@model-gateway/shared';

/** Function names that providers of other APIs accept. */
const PLAIN = /^[\w-]{1,64}$/;
const MAX_CHARACTERS = 64;
const HASH_CHARACTERS = 8;

/**
 * Shortens tool names for APIs without namespaces and with at most 64 characters. Names are unique, and the
 * same tools in the same order always get the same names, also in later turns.
 */
export class ToolNames {
  readonly #byName = new Map<string, CallableTool>();
  readonly #names = new Map<string, string>();

  constructor(tools: readonly CallableTool[]) {
    // Plain names come first, so that no shortened name takes one.
    const isPlain = ({ name, namespace }: CallableTool) => namespace === undefined && PLAIN.test(name);
    for (const tool of tools) if (isPlain(tool)) this.#add(tool, tool.name);
    for (const tool of tools) if (!isPlain(tool)) this.#add(tool, this.#freeName(tool));
  }

  /** Returns the name for a provider, also for tools of earlier turns. */
  of(name: string, namespace?: string): string {
    return this.#names.get(keyOf(name, namespace)) ?? shortened(name, namespace);
  }

  /** Returns the tool of a call; undefined: the model invented the name. */
  tool(name: string): CallableTool | undefined {
    return this.#byName.get(name);
  }

  #add(tool: CallableTool, name: string): void {
    const key = keyOf(tool.name, tool.namespace);
    if (this.#names.has(key)) return;
    this.#names.set(key, name);
    this.#byName.set(name, tool);
  }

  #freeName({ name, namespace }: CallableTool): string {
    let free = shortened(name, namespace);
    for (let tried = 1; this.#byName.has(free); tried++) free = hashed(name, namespace, tried);
    return free;
  }
}

function keyOf(name: string, namespace: string | undefined): string {
  return JSON.stringify([namespace ?? null, name]);
}

function shortened(name: string, namespace: string | undefined): string {
  const joined = namespace === undefined ? name : `${namespace}__${name}`;
  return PLAIN.test(joined) ? joined : hashed(name, namespace);
}

function hashed(name: string, namespace: string | undefined, tried = 0): string {
  const hash = createHash('sha256')
    .update(`${tried} ${keyOf(name, namespace)}`)
    .digest('hex')
    .slice(0, HASH_CHARACTERS);
  const readable = (namespace === undefined ? name : `${namespace}__${name}`).replaceAll(/[^\w-]/g, '_');
  return `${readable.slice(0, MAX_CHARACTERS - HASH_CHARACTERS - 1)}_${hash}`;
}
