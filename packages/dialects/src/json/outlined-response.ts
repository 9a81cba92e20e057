import { Chunks } from './chunks.ts';
import { editJson, type JsonEdits } from './edit-json.ts';
import type { JsonNode } from './outline-json.ts';

/** The gateway reads no larger values. */
const MAX_VALUE_BYTES = 64 * 1024;

/** Stands for a large value. No schema accepts it. */
const TOO_LARGE = Symbol('too large');

/** A large answer of a provider: its bytes as they arrived, and where its members stand in them. */
export class OutlinedResponse {
  readonly #chunks: readonly Buffer[];
  readonly #bytes: Chunks;
  readonly #members: readonly JsonNode[];

  constructor(chunks: readonly Buffer[], members: readonly JsonNode[]) {
    this.#chunks = chunks;
    this.#bytes = new Chunks(chunks);
    this.#members = members;
  }

  /** If a name is there several times, the last one counts, as everywhere in JSON. */
  member(name: string, of: readonly JsonNode[] = this.#members): JsonNode | undefined {
    return of.findLast((member) => member.name === name);
  }

  /** The entries of a member that is an array; undefined if it is not one. */
  entries(name: string): readonly JsonNode[] | undefined {
    const member = this.member(name);
    return member?.kind === 'array' ? member.children : undefined;
  }

  /** The value of a member; undefined when there is none, TOO_LARGE when it is too large to be read. */
  small(name: string, of?: readonly JsonNode[]): unknown {
    const member = this.member(name, of);
    if (member === undefined) return undefined;
    return member.end - member.valueStart > MAX_VALUE_BYTES ? TOO_LARGE : this.value(member);
  }

  value(node: JsonNode): unknown {
    return JSON.parse(Buffer.concat(this.bytes(node)).toString());
  }

  /** The bytes of a value as they arrived. */
  bytes({ valueStart, end }: JsonNode): Buffer[] {
    return this.#bytes.slice(valueStart, end);
  }

  /** The answer with these edits; all else stays as it arrived. */
  edit(edits: JsonEdits): Buffer[] {
    return editJson(this.#chunks, this.#members, edits);
  }
}
