/** A response that a connection remembers, so that the next request need not repeat the conversation. */
export interface RememberedResponse {
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
  streamId: string | undefined;
  remembered: RememberedResponse;
  bytes: number;
}

/** The responses of one account, the oldest first. */
interface Share {
  bytes: number;
  entries: Set<Entry>;
}

/** The responses that all connections of this process keep, within one bound of memory. */
export class RememberedResponses {
  readonly #maxBytes: number;
  readonly #shares = new Map<string, Share>();
  #bytes = 0;

  constructor(memoryBytes: number) {
    this.#maxBytes = memoryBytes * PART_OF_MEMORY;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(accountId: string): ConnectionMemory {
    return new ConnectionMemory(this, accountId);
  }

  add(entry: Entry): void {
    const { accountId } = entry.owner;
    const share = this.#shares.get(accountId) ?? { bytes: 0, entries: new Set() };
    this.#shares.set(accountId, share);
    share.entries.add(entry);
    share.bytes += entry.bytes;
    this.#bytes += entry.bytes;
    while (this.#bytes > this.#maxBytes) this.#shrinkLargest();
  }

  remove(entry: Entry): void {
    const { accountId } = entry.owner;
    const share = this.#shares.get(accountId);
    if (share?.entries.delete(entry) !== true) return;
    share.bytes -= entry.bytes;
    this.#bytes -= entry.bytes;
    if (share.entries.size === 0) this.#shares.delete(accountId);
  }

  /**
   * Loses the oldest responses of the account with most bytes, until it fits or another account has more:
   * an account can only displace its own. One pass over a set, because each new pass over a set
   * begins with the gaps that deleting left.
   */
  #shrinkLargest(): void {
    const [largest, next] = [...this.#shares.values()].sort((one, other) => other.bytes - one.bytes);
    for (const entry of largest?.entries ?? []) {
      entry.owner.lose(entry);
      if (this.#bytes <= this.#maxBytes || (largest?.bytes ?? 0) < (next?.bytes ?? 0)) return;
    }
  }
}

/** The responses that one connection keeps: the last one of each stream id. */
export class ConnectionMemory {
  readonly accountId: string;
  readonly #shared: RememberedResponses;
  readonly #byStreamId = new Map<string | undefined, Entry>();
  /** True once a response was not remembered, so that the client must send the whole conversation again. */
  hasLost = false;

  constructor(shared: RememberedResponses, accountId: string) {
    this.#shared = shared;
    this.accountId = accountId;
  }

  find(id: string): RememberedResponse | undefined {
    return [...this.#byStreamId.values()].find(({ remembered }) => remembered.id === id)?.remembered;
  }

  /** Keeps a response instead of the one before it. */
  remember(streamId: string | undefined, remembered: RememberedResponse): void {
    this.#drop(this.#byStreamId.get(streamId));
    const bytes = remembered.input.length + remembered.output.length;
    let held = bytes;
    for (const entry of this.#byStreamId.values()) held += entry.bytes;
    for (const entry of this.#byStreamId.values()) {
      if (held <= MAX_CONNECTION_BYTES && this.#byStreamId.size < MAX_RESPONSES) break;
      held -= entry.bytes;
      this.lose(entry);
    }
    if (held > MAX_CONNECTION_BYTES) {
      this.hasLost = true;
      return;
    }
    const entry = { owner: this, streamId, remembered, bytes };
    this.#byStreamId.set(streamId, entry);
    this.#shared.add(entry);
  }

  lose(entry: Entry): void {
    this.hasLost = true;
    this.#drop(entry);
  }

  /** Forgets everything, at the end of the connection. */
  close(): void {
    for (const entry of this.#byStreamId.values()) this.#drop(entry);
  }

  #drop(entry: Entry | undefined): void {
    if (entry === undefined) return;
    this.#byStreamId.delete(entry.streamId);
    this.#shared.remove(entry);
  }
}
