import { Chunks } from './chunks.ts';
import { editJson, type JsonEdits } from './edit-json.ts';
import type { JsonNode } from './outline-json.ts';

/** Larger values are not read. */
const MAX_VALUE_BYTES = 64 * 1024;

/** Stands for a large value. No schema accepts it. */
const TOO_LARGE = Symbol('too large');

/** A large response of a provider: its bytes as they arrived, and the positions of its members. */
export class OutlinedResponse {
  readonly #chunks: readonly Buffer[];
  readonly #bytes: Chunks;
  readonly #members: readonly JsonNode[];

  constructor(chunks: readonly Buffer[], members: readonly JsonNode[]) {
    this.#chunks = chunks;
    this.#bytes = new Chunks(chunks);
    this.#members = members;
  }

  /** Returns the last member of that name, like every JSON parser. */
  member(name: string, members: readonly JsonNode[] = this.#members): JsonNode | undefined {
    return members.findLast((member) => member.name === name);
  }

  /** @returns undefined if the member is not an array */
  entries(name: string): readonly JsonNode[] | undefined {
    const member = this.member(name);
    return member?.kind === 'array' ? member.children : undefined;
  }

  /** @returns undefined for a missing member, TOO_LARGE for a large one */
  small(name: string, members?: readonly JsonNode[]): unknown {
    const member = this.member(name, members);
    if (member === undefined) return undefined;
    return member.end - member.valueStart > MAX_VALUE_BYTES ? TOO_LARGE : this.value(member);
  }

  value(node: JsonNode): unknown {
    return JSON.parse(Buffer.concat(this.bytes(node)).toString());
  }

  /** Returns the bytes of a value as they arrived. */
  bytes({ valueStart, end }: JsonNode): Buffer[] {
    return this.#bytes.slice(valueStart, end);
  }

  /** Returns the response with these edits, and every other byte as it arrived. */
  edit(edits: JsonEdits): Buffer[] {
    return editJson(this.#chunks, this.#members, edits);
  }
}
