import type { LimitQuestionMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import type { DatabaseEpoch } from '../database/database-epoch.ts';
import { SingleFlight } from '../database/single-flight.ts';
import type { KeyEvent } from './key-event-list-store.ts';
import type { WatcherStore } from './watcher-store.ts';

export interface Watcher {
  instanceId: string;
  /** Events up to this revision are written to the stream. */
  sentRevision: bigint;
  pendingPing: string | undefined;
  /** True when the stream has ended or was given up. */
  isGone(): boolean;
  /** @param reset true when the data plane must clear its cache */
  sendWelcome(revision: bigint, reset: boolean): void;
  sendChange(event: KeyEvent): void;
  sendHeartbeat(sequence: string, revision: bigint): void;
  sendRecall(recall: { allowanceId: string; recall: number }): void;
  sendLimitQuestion(question: LimitQuestionMessage): void;
  sendCredentialQuestion(variables: readonly string[]): void;
  sendResponsesUnfollowed(): void;
  sendDrainOrder(drained: boolean): void;
  end(): void;
}

/**
 * Sends key events to connected data planes and answers their pings. Each run renews leases and reads all
 * new events in one statement, then sends events before heartbeats: a heartbeat follows every change
 * committed before its ping. No heartbeat when the lease ended before the renewal, because a revocation may
 * be missing from this run.
 */
export class KeyFeed {
  readonly #store: WatcherStore;
  readonly #epoch: Pick<DatabaseEpoch, 'current' | 'verify'>;
  readonly #watchers = new Map<string, Watcher>();
  readonly #runs: SingleFlight;
  readonly #acks = new Map<string, bigint>();
  readonly #ackWrites: SingleFlight;
  #lastRunFailed = false;
  #closed = false;

  /** @param epoch detects a run that read another database */
  constructor(store: WatcherStore, epoch: Pick<DatabaseEpoch, 'current' | 'verify'>, log: Logger) {
    this.#store = store;
    this.#epoch = epoch;
    this.#runs = new SingleFlight(
      () => this.#run(),
      (error) => {
        this.#lastRunFailed = true;
        log.warn({ error }, 'cannot read key events');
      },
    );
    this.#ackWrites = new SingleFlight(
      () => this.#writeAcks(),
      (error) => log.warn({ error }, 'cannot record acknowledgements'),
    );
  }

  /** True while stopping: data planes must watch another control plane. */
  get isClosed(): boolean {
    return this.#closed;
  }

  get size(): number {
    return this.#watchers.size;
  }

  get instanceIds(): string[] {
    return [...this.#watchers.keys()];
  }

  /** Recalls unused money of an allowance, if the data plane is connected here. */
  sendRecall(instanceId: string, recall: { allowanceId: string; recall: number }): void {
    this.#watchers.get(instanceId)?.sendRecall(recall);
  }

  /** Sends a LimitQuestion to all connected data planes. @returns the recipients */
  sendLimitQuestion(question: LimitQuestionMessage): Watcher[] {
    const watchers = [...this.#watchers.values()];
    for (const watcher of watchers) watcher.sendLimitQuestion(question);
    return watchers;
  }

  /** Asks a data plane which variables it has, if it is connected here. */
  sendCredentialQuestion(instanceId: string, variables: readonly string[]): void {
    this.#watchers.get(instanceId)?.sendCredentialQuestion(variables);
  }

  /** Tells all connected data planes that responses can be claimed. */
  sendResponsesUnfollowed(): void {
    for (const watcher of this.#watchers.values()) watcher.sendResponsesUnfollowed();
  }

  /** Takes a data plane out of traffic, or back, if it is connected here. */
  sendDrainOrder(instanceId: string, drained: boolean): void {
    this.#watchers.get(instanceId)?.sendDrainOrder(drained);
  }

  /** True when a data plane is connected and the last read of events failed. */
  get isBehind(): boolean {
    return this.#watchers.size > 0 && this.#lastRunFailed;
  }

  endEarlier(instanceId: string): void {
    const earlier = this.#watchers.get(instanceId);
    this.#watchers.delete(instanceId);
    earlier?.end();
  }

  add(watcher: Watcher): void {
    this.endEarlier(watcher.instanceId);
    if (this.#closed) {
      watcher.end();
      return;
    }
    this.#watchers.set(watcher.instanceId, watcher);
    this.#runs.request();
  }

  /** Removes a stream, unless the data plane has opened a newer one. */
  remove(watcher: Watcher): boolean {
    if (this.#watchers.get(watcher.instanceId) !== watcher) return false;
    return this.#watchers.delete(watcher.instanceId);
  }

  ping(watcher: Watcher, sequence: string): void {
    watcher.pendingPing = sequence;
    this.#runs.request();
  }

  acknowledge(watcher: Watcher, revision: bigint): void {
    if (this.#watchers.get(watcher.instanceId) !== watcher) return;
    this.#acks.set(watcher.instanceId, revision);
    this.#ackWrites.request();
  }

  wake(): void {
    if (this.#watchers.size > 0) this.#runs.request();
  }

  /**
   * Ends every stream: another database's revisions mean something else. Data planes reconnect and clear
   * their caches.
   */
  forget(): void {
    this.#acks.clear();
    for (const watcher of [...this.#watchers.values()]) watcher.end();
    this.#watchers.clear();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const watcher of [...this.#watchers.values()]) watcher.end();
    this.#watchers.clear();
    await Promise.all([this.#runs.settled(), this.#ackWrites.settled()]);
  }

  async #run(): Promise<void> {
    const watchers = [...this.#watchers.values()];
    if (watchers.length === 0) return;
    const pings = new Map<Watcher, string>();
    for (const watcher of watchers) {
      if (watcher.pendingPing !== undefined) pings.set(watcher, watcher.pendingPing);
      watcher.pendingPing = undefined;
    }
    let from = watchers[0]?.sentRevision ?? 0n;
    for (const { sentRevision } of watchers) if (sentRevision < from) from = sentRevision;
    const pinging = [...pings.keys()].map(({ instanceId }) => instanceId);
    const startedAtMs = performance.now();
    const { epoch, renewed, events, isComplete } = await this.#store.renewAndRead(pinging, from);
    if (epoch !== this.#epoch.current) {
      // Another database replied, such as a restored one: answer no ping. Data planes ping again in a second.
      await this.#epoch.verify();
      return;
    }
    const tookMs = performance.now() - startedAtMs;
    this.#lastRunFailed = false;
    if (this.#acks.size > 0) this.#ackWrites.request();
    // Send the remaining changes before any heartbeat, which declares the streams up to date.
    if (!isComplete) this.#runs.request();
    for (const watcher of watchers) {
      // The data plane has gone meanwhile, or its stream was ended.
      if (this.#watchers.get(watcher.instanceId) !== watcher) continue;
      for (const event of events) {
        if (event.revision <= watcher.sentRevision) continue;
        watcher.sendChange(event);
        watcher.sentRevision = event.revision;
      }
      const sequence = pings.get(watcher);
      if (sequence === undefined) continue;
      const leftMs = renewed.get(watcher.instanceId);
      if (leftMs === undefined) {
        this.remove(watcher);
        watcher.end();
      } else if (isComplete && leftMs > tookMs) {
        watcher.sendHeartbeat(sequence, watcher.sentRevision);
      } else {
        watcher.pendingPing ??= sequence;
        this.#runs.request();
      }
    }
  }

  async #writeAcks(): Promise<void> {
    const acks = new Map(this.#acks);
    this.#acks.clear();
    if (acks.size === 0) return;
    try {
      await this.#store.acknowledge(acks);
    } catch (error) {
      // Not stored: the next successful run tries again.
      for (const [instanceId, revision] of acks) {
        if (!this.#acks.has(instanceId)) this.#acks.set(instanceId, revision);
      }
      throw error;
    }
  }
}
