import { RedisTimeoutError } from './redis/deadline.ts';
import type { RedisNodes } from './redis/redis-nodes.ts';

/** Failed calls in a row until a node counts as down. */
const FAILURES_TO_OPEN = 5;
const PROBE_INTERVAL_MS = 1_000;

export interface NodeBreakersOptions {
  nodes: RedisNodes;
  /** Sends a command on this hash tag that rejects while its node is down. */
  probe: (hashTag: string) => Promise<unknown>;
  /** Called when the first node is down, and when none is down any more. */
  onChange?: ((areClosed: boolean) => void) | undefined;
  probeIntervalMs?: number | undefined;
}

interface Breaker {
  failures: number;
  /** Set while the node counts as down. */
  timer: NodeJS.Timeout | undefined;
  isProbing: boolean;
}

/**
 * One circuit breaker for each node of Redis, so that the loss of a node of a cluster concerns only the keys
 * whose slots it has. While a breaker is open, it sends one probe a second; a successful one closes it. After
 * a failover the slots belong to another node, which has a breaker of its own.
 */
export class NodeBreakers {
  readonly #options: NodeBreakersOptions;
  /** Only nodes whose last call failed. */
  readonly #breakers = new Map<string, Breaker>();
  #open = 0;
  #isStopped = false;

  constructor(options: NodeBreakersOptions) {
    this.#options = options;
  }

  /** True while no node counts as down. */
  get areClosed(): boolean {
    return this.#open === 0;
  }

  /** False while the node of this hash tag counts as down. */
  isClosed(hashTag: string): boolean {
    return this.#open === 0 || this.#breakers.get(this.#nodeOf(hashTag))?.timer === undefined;
  }

  succeeded(hashTag: string): void {
    if (this.#breakers.size === 0) return;
    const node = this.#nodeOf(hashTag);
    // A late reply does not close an open breaker; the next probe does.
    if (this.#breakers.get(node)?.timer === undefined) this.#breakers.delete(node);
  }

  failed(hashTag: string): void {
    const node = this.#nodeOf(hashTag);
    const breaker = this.#breakers.get(node) ?? { failures: 0, timer: undefined, isProbing: false };
    this.#breakers.set(node, breaker);
    breaker.failures += 1;
    if (breaker.failures < FAILURES_TO_OPEN || breaker.timer !== undefined || this.#isStopped) return;
    const probe = () => void this.#probe(node, breaker);
    breaker.timer = setInterval(probe, this.#options.probeIntervalMs ?? PROBE_INTERVAL_MS);
    breaker.timer.unref();
    this.#open += 1;
    if (this.#open === 1) this.#options.onChange?.(false);
  }

  /** Ends the probes for good. */
  stop(): void {
    this.#isStopped = true;
    for (const { timer } of this.#breakers.values()) clearInterval(timer);
    this.#breakers.clear();
    this.#open = 0;
  }

  #nodeOf(hashTag: string): string {
    return this.#options.nodes.nodeOf(hashTag);
  }

  async #probe(node: string, breaker: Breaker): Promise<void> {
    // A second probe would only slow down a slow node.
    if (breaker.isProbing) return;
    breaker.isProbing = true;
    const { nodes, probe } = this.#options;
    try {
      // A node without slots decides about no key.
      const hashTag = nodes.hashTagOn(node);
      if (hashTag !== undefined) await probe(hashTag);
    } catch (error) {
      // The connection may be dead without being closed.
      if (error instanceof RedisTimeoutError) nodes.reconnect(node);
      return;
    } finally {
      breaker.isProbing = false;
    }
    if (this.#breakers.get(node) !== breaker) return;
    clearInterval(breaker.timer);
    this.#breakers.delete(node);
    this.#open -= 1;
    if (this.#open === 0) this.#options.onChange?.(true);
  }
}
