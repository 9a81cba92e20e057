import type { LimitReportMessage, WatchKeysRequestMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { pepperFingerprint } from '@model-gateway/shared';
import { failedPrecondition } from '../errors/control-plane-error.ts';
import type { ProcessReportStore } from '../fleet/process-report-store.ts';
import { receiveReport } from '../fleet/receive-report.ts';
import type { KeyEventListStore } from './key-event-list-store.ts';
import type { KeyFeed, Watcher } from './key-feed.ts';
import type { WatcherStore } from './watcher-store.ts';

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
  limitQuestions: { answer(watcher: Watcher, report: LimitReportMessage): void };
  credentialStore: {
    answer(instanceId: string, report: { set: readonly string[]; missing: readonly string[] }): Promise<void>;
  };
  processReportStore: Pick<ProcessReportStore, 'reportDataPlane'>;
  log: Logger;
}

export class DataPlaneWatch {
  readonly #context: DataPlaneWatchContext;
  readonly #connect: (instanceId: string) => Watcher;
  #watcher: Watcher | undefined;

  /** @param connect makes the watcher that writes to this stream, for the data plane's id */
  constructor(context: DataPlaneWatchContext, connect: (instanceId: string) => Watcher) {
    this.#context = context;
    this.#connect = connect;
  }

  /** @throws ControlPlaneError failed_precondition; any error ends the stream */
  async receive(message: WatchKeysRequestMessage): Promise<void> {
    const { credentialStore, keyFeed, limitQuestions, log } = this.#context;
    const watcher = this.#watcher;
    if (message.hello && watcher === undefined) {
      const { instanceId, resumeRevision, pepperFingerprint: theirs } = message.hello;
      this.#watcher = this.#connect(instanceId);
      await welcome(this.#context, this.#watcher, BigInt(resumeRevision), theirs);
    } else if (watcher === undefined) {
      throw failedPrecondition('the first message must be a hello, sent once');
    } else if (message.ping) {
      keyFeed.ping(watcher, message.ping.sequence);
    } else if (message.ack) {
      keyFeed.acknowledge(watcher, BigInt(message.ack.revision));
    } else if (message.limitReport) {
      limitQuestions.answer(watcher, message.limitReport);
    } else if (message.credentialReport) {
      // No retry: the data plane is asked again until its reply is stored.
      credentialStore
        .answer(watcher.instanceId, message.credentialReport)
        .catch((error: unknown) => log.warn({ error }, 'cannot store which credentials are set'));
    } else if (message.dataPlaneReport) {
      // No retry: the next report comes soon.
      receiveReport(this.#context, watcher.instanceId, message.dataPlaneReport)
        .then((order) => {
          if (order !== undefined && !watcher.isGone()) watcher.sendDrainOrder(order.drained);
        })
        .catch((error: unknown) => log.warn({ error }, 'cannot store the state of a data plane'));
    }
  }

  /** Called when the data plane no longer trusts its cache: nobody needs to wait for it. */
  goodbye(): void {
    const { controlPlaneId, keyFeed, log, watcherStore } = this.#context;
    if (this.#watcher === undefined || !keyFeed.remove(this.#watcher)) return;
    watcherStore.remove(this.#watcher.instanceId, controlPlaneId).catch((error: unknown) => {
      log.warn({ error }, 'cannot remove a watcher that said goodbye');
    });
  }

  /** Called when the stream broke. Its row stays, and revocations wait until its lease has run out. */
  broken(): void {
    if (this.#watcher !== undefined) this.#context.keyFeed.remove(this.#watcher);
  }
}

/**
 * Writes the row before reading events: a revocation committed later waits for this data plane, an earlier
 * one is among the events. The feed continues from the events sent here.
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
    throw failedPrecondition(message);
  }
  // Sending a welcome while stopping would make the data plane clear its cache for nothing.
  if (context.keyFeed.isClosed) return watcher.end();
  // First, so that the end of an earlier stream cannot delete the new row.
  context.keyFeed.endEarlier(watcher.instanceId);
  await context.watcherStore.register(watcher.instanceId, context.controlPlaneId);
  const { revision, complete, events } = await context.keyEventListStore.eventsSince(resumeRevision);
  const isNew = resumeRevision === 0n;
  // Only now are the applied revisions known to belong to this database, not to one before a restore.
  if (!isNew && complete) {
    await context.watcherStore.acknowledge(new Map([[watcher.instanceId, resumeRevision]]));
  }
  if (context.keyFeed.isClosed) return watcher.end();
  watcher.sendWelcome(revision, !isNew && !complete);
  if (!isNew && complete) for (const event of events) watcher.sendChange(event);
  watcher.sentRevision = revision;
  if (watcher.isGone()) return;
  context.keyFeed.add(watcher);
  // Catalog services should hear of the new data plane at once.
  context.catalogFeed.wake();
  context.recallFeed.wake();
  context.credentialFeed.wake();
}
