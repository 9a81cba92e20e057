import { Chunks } from './chunks.ts';
import { editJson, type JsonEdits } from './edit-json.ts';
import type { JsonNode } from './outline-json.ts';

/** Larger values are nothing that the gateway looks at. */
const MAX_VALUE_BYTES = 64 * 1024;

/** Stands for a value that no schema takes. */
const TOO_LARGE = Symbol('too large');

/** A large answer of a provider: its bytes as they came, and where its members stand in them. */
export class OutlinedAnswer {
  readonly #chunks: readonly Buffer[];
  readonly #bytes: Chunks;
  readonly #members: readonly JsonNode[];

  constructor(chunks: readonly Buffer[], members: readonly JsonNode[]) {
    this.#chunks = chunks;
    this.#bytes = new Chunks(chunks);
    this.#members = members;
  }

  /** The last one of that name counts, as everywhere in JSON. */
  member(name: string, of: readonly JsonNode[] = this.#members): JsonNode | undefined {
    return of.findLast((member) => member.name === name);
  }

  /** The entries of a member that is an array; undefined when it is none. */
  entries(name: string): readonly JsonNode[] | undefined {
    const member = this.member(name);
    return member?.kind === 'array' ? member.children : undefined;
  }

  /** The value of a member; undefined when there is none, TOO_LARGE of one that is nothing to look at. */
  small(name: string, of?: readonly JsonNode[]): unknown {
    const member = this.member(name, of);
    if (member === undefined) return undefined;
    return member.end - member.valueStart > MAX_VALUE_BYTES ? TOO_LARGE : this.value(member);
  }

  value(node: JsonNode): unknown {
    return JSON.parse(Buffer.concat(this.bytes(node)).toString());
  }

  /** As they came. */
  bytes({ valueStart, end }: JsonNode): Buffer[] {
    return this.#bytes.slice(valueStart, end);
  }

  /** The answer with its changes, all else as it came. */
  edit(edits: JsonEdits): Buffer[] {
    return editJson(this.#chunks, this.#members, edits);
  }
}
