import type { LimitReportMessage, WatchKeysRequestMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { pepperFingerprint } from '@model-gateway/shared';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { KeyEventListStore } from './key-event-list-store.ts';
import type { KeyFeed, Watcher } from './key-feed.ts';
import type { WatcherStore } from './watcher-store.ts';

/** Has news for data planes, and at `wake` looks which of them watch here. */
interface Feed {
  wake(): void;
}

export interface DataPlaneWatchContext {
  controlPlaneId: string;
  pepper: string;
  oldPepper: string | undefined;
  keyEventListStore: Pick<KeyEventListStore, 'eventsSince'>;
  watcherStore: WatcherStore;
  keyFeed: KeyFeed;
  catalogFeed: Feed;
  recallFeed: Feed;
  credentialFeed: Feed;
  /** Receives the data planes' answers to questions about limits. */
  limitQuestions: { answer(watcher: Watcher, report: LimitReportMessage): void };
  /** Receives the data planes' answers to questions about credentials. */
  credentialStore: {
    answer(instanceId: string, report: { set: readonly string[]; missing: readonly string[] }): Promise<void>;
  };
  log: Logger;
}

/** The control plane's side of one KeyService.WatchKeys stream (proto/gateway/v1/keys.proto). */
export class DataPlaneWatch {
  readonly #context: DataPlaneWatchContext;
  readonly #connect: (instanceId: string) => Watcher;
  /** Undefined until the data plane says hello. */
  #watcher: Watcher | undefined;

  /** @param connect makes the watcher that writes to this stream, for the data plane's id */
  constructor(context: DataPlaneWatchContext, connect: (instanceId: string) => Watcher) {
    this.#context = context;
    this.#connect = connect;
  }

  /** @throws ControlPlaneError failed_precondition; whatever is thrown ends the stream */
  async receive(message: WatchKeysRequestMessage): Promise<void> {
    const { credentialStore, keyFeed, limitQuestions, log } = this.#context;
    const watcher = this.#watcher;
    if (message.hello && watcher === undefined) {
      const { instanceId, resumeRevision, pepperFingerprint: theirs } = message.hello;
      this.#watcher = this.#connect(instanceId);
      await welcome(this.#context, this.#watcher, BigInt(resumeRevision), theirs);
    } else if (watcher === undefined) {
      throw new ControlPlaneError('failed_precondition', 'the first message must be a hello, sent once');
    } else if (message.ping) {
      keyFeed.ping(watcher, message.ping.sequence);
    } else if (message.ack) {
      keyFeed.acknowledge(watcher, BigInt(message.ack.revision));
    } else if (message.limitReport) {
      limitQuestions.answer(watcher, message.limitReport);
    } else if (message.credentialReport) {
      // A failure needs no retry here: the data plane is asked again until its answer is stored.
      credentialStore
        .answer(watcher.instanceId, message.credentialReport)
        .catch((error: unknown) => log.warn({ error }, 'cannot store which credentials are set'));
    }
  }

  /** The data plane says that it does not trust its cache any more, so nobody needs to wait for it. */
  goodbye(): void {
    const { controlPlaneId, keyFeed, log, watcherStore } = this.#context;
    if (this.#watcher === undefined || !keyFeed.remove(this.#watcher)) return;
    watcherStore.remove(this.#watcher.instanceId, controlPlaneId).catch((error: unknown) => {
      log.warn({ error }, 'cannot remove a watcher that said goodbye');
    });
  }

  /** The stream broke. Its row stays, and revocations wait for it until its lease has run out. */
  broken(): void {
    if (this.#watcher !== undefined) this.#context.keyFeed.remove(this.#watcher);
  }
}

/**
 * The order matters: first the row is written, then the events are read. A revocation that commits after the
 * row is there waits for this data plane; one that committed before is among the events. Live events follow
 * when the feed adds the watcher, and the feed starts from what was sent here.
 */
async function welcome(
  context: DataPlaneWatchContext,
  watcher: Watcher,
  resumeRevision: bigint,
  fingerprint: string,
): Promise<void> {
  const peppers = [context.pepper, ...(context.oldPepper === undefined ? [] : [context.oldPepper])];
  if (!peppers.some((pepper) => fingerprint === pepperFingerprint(pepper))) {
    context.log.error({ instance_id: watcher.instanceId }, 'a data plane has another API_KEY_LOOKUP_PEPPER');
    const message = 'API_KEY_LOOKUP_PEPPER differs between this data plane and the control plane';
    throw new ControlPlaneError('failed_precondition', message);
  }
  // No welcome is sent by a control plane that is about to end its streams: it would make the data plane
  // forget all that it knows for nothing.
  if (context.keyFeed.isClosed) return watcher.end();
  // This comes first, so that the end of an earlier stream cannot delete the row that is written next.
  context.keyFeed.endEarlier(watcher.instanceId);
  await context.watcherStore.register(watcher.instanceId, context.controlPlaneId);
  const { revision, complete, events } = await context.keyEventListStore.eventsSince(resumeRevision);
  const isNew = resumeRevision === 0n;
  // Only now it is certain that the revisions which the data plane has applied are of this database, and not
  // of the one before a restore.
  if (!isNew && complete) {
    await context.watcherStore.acknowledge(new Map([[watcher.instanceId, resumeRevision]]));
  }
  if (context.keyFeed.isClosed) return watcher.end();
  watcher.sendWelcome(revision, !isNew && !complete);
  if (!isNew && complete) for (const event of events) watcher.sendChange(event);
  watcher.sentRevision = revision;
  if (watcher.isGone()) return;
  context.keyFeed.add(watcher);
  // One more data plane lives. The catalog services, which report the platform's health, should hear that at
  // once and not in a second.
  context.catalogFeed.wake();
  context.recallFeed.wake();
  context.credentialFeed.wake();
}
