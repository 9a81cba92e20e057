import type { LimitQuestionMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import type { DatabaseEpoch } from '../database/database-epoch.ts';
import { SingleFlight } from '../database/single-flight.ts';
import type { KeyEvent } from './key-event-list-store.ts';
import type { WatcherStore } from './watcher-store.ts';

/** One data plane's watch stream, as the feed sees it. */
export interface Watcher {
  instanceId: string;
  /** Every event up to this revision has been written to the stream. */
  sentRevision: bigint;
  /** The newest ping that has no answer yet. */
  pendingPing: string | undefined;
  /** Whether its stream has ended or was given up. */
  isGone(): boolean;
  /** @param reset true when nothing that the data plane knows is valid, so that it has to start anew */
  sendWelcome(revision: bigint, reset: boolean): void;
  sendChange(event: KeyEvent): void;
  sendHeartbeat(sequence: string, revision: bigint): void;
  sendRecall(recall: { allowanceId: string; recall: number }): void;
  sendLimitQuestion(question: LimitQuestionMessage): void;
  sendCredentialQuestion(variables: readonly string[]): void;
  /** Ends the stream; the data plane opens a new one. */
  end(): void;
}

/**
 * Brings key events to the data planes that watch here and answers their pings.
 *
 * It works in turns. In one statement, a turn renews the leases of the data planes that have pinged and reads
 * every event that some stream does not have yet. Then it sends the events, and only then the heartbeats. So
 * a heartbeat comes after every change that was committed before its ping arrived, even if a notification was
 * lost, and no heartbeat is sent while the database cannot be read.
 *
 * No heartbeat is sent either when the earlier lease ran out before the turn had renewed it: a revocation
 * that no longer waited for that data plane may be missing from this turn's events. The next turn has it, and
 * answers.
 */
export class KeyFeed {
  readonly #store: WatcherStore;
  readonly #epoch: Pick<DatabaseEpoch, 'current' | 'verify'>;
  readonly #watchers = new Map<string, Watcher>();
  readonly #turns: SingleFlight;
  readonly #acks = new Map<string, bigint>();
  readonly #ackWrites: SingleFlight;
  #lastTurnFailed = false;
  #closed = false;

  /** @param epoch tells whether a turn has read the database that this process knows */
  constructor(store: WatcherStore, epoch: Pick<DatabaseEpoch, 'current' | 'verify'>, log: Logger) {
    this.#store = store;
    this.#epoch = epoch;
    this.#turns = new SingleFlight(
      () => this.#turn(),
      (error) => {
        this.#lastTurnFailed = true;
        log.warn({ error }, 'cannot read key events');
      },
    );
    this.#ackWrites = new SingleFlight(
      () => this.#writeAcks(),
      (error) => log.warn({ error }, 'cannot record acknowledgements'),
    );
  }

  /** True when this control plane is stopping, so that data planes have to watch at another one. */
  get isClosed(): boolean {
    return this.#closed;
  }

  get size(): number {
    return this.#watchers.size;
  }

  get instanceIds(): string[] {
    return [...this.#watchers.keys()];
  }

  /**
   * Asks a data plane to give back what it does not use of an allowance. Does nothing when it does not watch
   * here.
   */
  sendRecall(instanceId: string, recall: { allowanceId: string; recall: number }): void {
    this.#watchers.get(instanceId)?.sendRecall(recall);
  }

  /** Sends a question to every data plane that watches here. @returns those that were asked */
  sendLimitQuestion(question: LimitQuestionMessage): Watcher[] {
    const watchers = [...this.#watchers.values()];
    for (const watcher of watchers) watcher.sendLimitQuestion(question);
    return watchers;
  }

  /** Asks a data plane which of these variables it has. Does nothing when it does not watch here. */
  sendCredentialQuestion(instanceId: string, variables: readonly string[]): void {
    this.#watchers.get(instanceId)?.sendCredentialQuestion(variables);
  }

  /** Whether a data plane watches here and the last attempt to read events failed. */
  get isBehind(): boolean {
    return this.#watchers.size > 0 && this.#lastTurnFailed;
  }

  /** Removes and ends the earlier stream of a data plane. */
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
    this.#turns.request();
  }

  /** Removes a stream, unless the same data plane has opened a newer one. */
  remove(watcher: Watcher): boolean {
    if (this.#watchers.get(watcher.instanceId) !== watcher) return false;
    return this.#watchers.delete(watcher.instanceId);
  }

  ping(watcher: Watcher, sequence: string): void {
    watcher.pendingPing = sequence;
    this.#turns.request();
  }

  acknowledge(watcher: Watcher, revision: bigint): void {
    if (this.#watchers.get(watcher.instanceId) !== watcher) return;
    this.#acks.set(watcher.instanceId, revision);
    this.#ackWrites.request();
  }

  /** To be called when there may be new events. */
  wake(): void {
    if (this.#watchers.size > 0) this.#turns.request();
  }

  /**
   * Ends every stream, because the revisions of another database have another meaning here. The data planes
   * come back and are told to forget all that they know.
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
    await Promise.all([this.#turns.settled(), this.#ackWrites.settled()]);
  }

  async #turn(): Promise<void> {
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
    const askedAtMs = performance.now();
    const { epoch, renewed, events, isComplete } = await this.#store.renewAndRead(pinging, from);
    if (epoch !== this.#epoch.current) {
      // The answer came from another database, such as a restored one, so no ping is answered. The data
      // planes ask again in a second.
      await this.#epoch.verify();
      return;
    }
    const tookMs = performance.now() - askedAtMs;
    this.#lastTurnFailed = false;
    if (this.#acks.size > 0) this.#ackWrites.request();
    // There are more changes. They must be sent before any heartbeat, because a heartbeat says that the
    // streams are up to date.
    if (!isComplete) this.#turns.request();
    for (const watcher of watchers) {
      // Meanwhile the data plane has gone, or its stream was ended.
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
        this.#turns.request();
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
      // These acknowledgements are not stored yet; the next turn that reaches the database tries again.
      for (const [instanceId, revision] of acks) {
        if (!this.#acks.has(instanceId)) this.#acks.set(instanceId, revision);
      }
      throw error;
    }
  }
}
