/** What a connection remembers of a response, so that the next request need not repeat the conversation. */
export interface KeptResponse {
  id: string;
  /** The JSON of an array: the whole input, earlier turns included. */
  input: Buffer;
  /** The JSON of an array. */
  output: Buffer;
}

/** One conversation at once per stream id, and clients use few of those. */
const MAX_RESPONSES = 32;
/** Longer conversations start again with every request, which then has to contain all of it. */
const MAX_CONNECTION_BYTES = 8 * 1024 * 1024;
const PART_OF_MEMORY = 1 / 32;

interface Entry {
  owner: ConnectionMemory;
  lane: string | undefined;
  kept: KeptResponse;
  bytes: number;
}

/** The responses that all connections of this process keep, within one bound of memory. */
export class KeptResponses {
  readonly #maxBytes: number;
  /** The oldest first. */
  readonly #entries = new Set<Entry>();
  #bytes = 0;

  constructor(memoryBytes: number) {
    this.#maxBytes = memoryBytes * PART_OF_MEMORY;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param keyId the key whose own responses go first when it has most of the memory */
  open(keyId: string): ConnectionMemory {
    return new ConnectionMemory(this, keyId);
  }

  add(entry: Entry): void {
    this.#entries.add(entry);
    this.#bytes += entry.bytes;
    while (this.#bytes > this.#maxBytes) {
      const oldest = this.#oldestOfLargest();
      if (oldest === undefined) return;
      oldest.owner.lose(oldest);
    }
  }

  remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#bytes -= entry.bytes;
  }

  /** Finds the oldest response of the key with most bytes, so that a key can only displace its own. */
  #oldestOfLargest(): Entry | undefined {
    const bytesOf = new Map<string, number>();
    for (const { bytes, owner } of this.#entries)
      bytesOf.set(owner.keyId, (bytesOf.get(owner.keyId) ?? 0) + bytes);
    const most = Math.max(...bytesOf.values());
    return [...this.#entries].find(({ owner }) => bytesOf.get(owner.keyId) === most);
  }
}

/** The responses that one connection keeps: the last one of each stream id. */
export class ConnectionMemory {
  readonly keyId: string;
  readonly #shared: KeptResponses;
  readonly #byLane = new Map<string | undefined, Entry>();
  /** True once a response was not kept, so that the client must send the whole conversation again. */
  hasLost = false;

  constructor(shared: KeptResponses, keyId: string) {
    this.#shared = shared;
    this.keyId = keyId;
  }

  find(id: string): KeptResponse | undefined {
    return [...this.#byLane.values()].find(({ kept }) => kept.id === id)?.kept;
  }

  /** Keeps a response instead of the one before it. */
  keep(lane: string | undefined, kept: KeptResponse): void {
    this.#drop(this.#byLane.get(lane));
    const bytes = kept.input.length + kept.output.length;
    let held = bytes;
    for (const entry of this.#byLane.values()) held += entry.bytes;
    for (const entry of this.#byLane.values()) {
      if (held <= MAX_CONNECTION_BYTES && this.#byLane.size < MAX_RESPONSES) break;
      held -= entry.bytes;
      this.lose(entry);
    }
    if (held > MAX_CONNECTION_BYTES) {
      this.hasLost = true;
      return;
    }
    const entry = { owner: this, lane, kept, bytes };
    this.#byLane.set(lane, entry);
    this.#shared.add(entry);
  }

  lose(entry: Entry): void {
    this.hasLost = true;
    this.#drop(entry);
  }

  /** Forgets everything, at the end of the connection. */
  close(): void {
    for (const entry of this.#byLane.values()) this.#drop(entry);
  }

  #drop(entry: Entry | undefined): void {
    if (entry === undefined) return;
    this.#byLane.delete(entry.lane);
    this.#shared.remove(entry);
  }
}
