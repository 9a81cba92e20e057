import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { WatchKeysEventMessage, WatchKeysRequestMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { pepperFingerprint } from '@model-gateway/shared';
import type { CatalogFeed } from '../catalog/catalog-feed.ts';
import type { CredentialFeed } from '../credentials/credential-feed.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import { toServiceError } from '../errors/map-error.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { Peppers } from '../keys/stored-hashes.ts';
import type { LimitQuestions } from '../limits/limit-questions.ts';
import type { KeyFeed, Watcher } from './key-feed.ts';
import type { RecallFeed } from './recall-feed.ts';
import type { WatcherStore } from './watcher-store.ts';

export type WatchKeysCall = ServerDuplexStream<WatchKeysRequestMessage, Partial<WatchKeysEventMessage>>;

export interface WatchKeysContext extends Peppers {
  controlPlaneId: string;
  keyStore: KeyStore;
  watcherStore: WatcherStore;
  keyFeed: KeyFeed;
  catalogFeed: Pick<CatalogFeed, 'wake'>;
  recallFeed: Pick<RecallFeed, 'wake'>;
  limitQuestions: Pick<LimitQuestions, 'answer'>;
  credentialStore: Pick<CredentialStore, 'answer'>;
  credentialFeed: Pick<CredentialFeed, 'wake'>;
  log: Logger;
}

/** The control plane's side of one KeyService.WatchKeys stream (proto/gateway/v1/keys.proto). */
export function watchKeys(context: WatchKeysContext, call: WatchKeysCall): void {
  let watcher: Watcher | undefined;
  // Not destroy(): a destroyed call is left without a status, and the data plane would wait for one.
  const fail = (error: unknown) => void call.emit('error', toServiceError(context.log, error));
  call.on('data', (message: WatchKeysRequestMessage) => {
    if (message.hello && watcher === undefined) {
      const { instanceId, resumeRevision, pepperFingerprint: theirs } = message.hello;
      watcher = watcherOf(call, instanceId);
      welcome(context, call, watcher, BigInt(resumeRevision), theirs).catch(fail);
    } else if (watcher === undefined) {
      fail(new ControlPlaneError('failed_precondition', 'the first message must be a hello, sent once'));
    } else if (message.ping) {
      context.keyFeed.ping(watcher, message.ping.sequence);
    } else if (message.ack) {
      context.keyFeed.acknowledge(watcher, BigInt(message.ack.revision));
    } else if (message.limitReport) {
      context.limitQuestions.answer(watcher, message.limitReport);
    } else if (message.credentialReport) {
      // It is asked again until its answer is stored.
      context.credentialStore
        .answer(watcher.instanceId, message.credentialReport)
        .catch((error: unknown) => context.log.warn({ error }, 'cannot store which credentials are set'));
    }
  });
  // Half-closed: the data plane has stopped trusting its cache, so nobody needs to wait for it.
  const goodbye = () => {
    if (watcher !== undefined && context.keyFeed.remove(watcher)) {
      context.watcherStore.remove(watcher.instanceId, context.controlPlaneId).catch((error: unknown) => {
        context.log.warn({ error }, 'cannot remove a watcher that said goodbye');
      });
    }
    call.end();
  };
  // A stream whose connection broke ends, too, and is reported as cancelled right after: that is no goodbye.
  call.on('end', () => setImmediate(() => !call.cancelled && goodbye()));
  // Broken: its row stays, and revocations wait until its lease has run out.
  const gone = () => watcher !== undefined && context.keyFeed.remove(watcher);
  call.on('cancelled', gone);
  call.on('error', gone);
  call.on('close', gone);
}

/**
 * The order matters: the row first, then the events. A revocation that commits after the row is there waits
 * for this data plane; one that committed before is among the events. Live events join when the feed adds the
 * watcher, and the feed starts from what was sent here.
 */
async function welcome(
  context: WatchKeysContext,
  call: WatchKeysCall,
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
  // First of all, so that the end of an earlier stream cannot take away the row that is written now.
  context.keyFeed.endEarlier(watcher.instanceId);
  await context.watcherStore.register(watcher.instanceId, context.controlPlaneId);
  const { revision, complete, events } = await context.keyStore.eventsSince(resumeRevision);
  const isNew = resumeRevision === 0n;
  // Only now is it known that what it has applied are revisions of this database, and not of one that was
  // restored.
  if (!isNew && complete) {
    await context.watcherStore.acknowledge(new Map([[watcher.instanceId, resumeRevision]]));
  }
  call.write({ welcome: { revision: String(revision), reset: !isNew && !complete } });
  if (!isNew && complete) for (const event of events) watcher.sendChange(event);
  watcher.sentRevision = revision;
  if (call.destroyed || call.cancelled) return;
  context.keyFeed.add(watcher);
  // One more data plane lives: whoever reports the platform's health should know now, not in a second.
  context.catalogFeed.wake();
  context.recallFeed.wake();
  context.credentialFeed.wake();
}

function watcherOf(call: WatchKeysCall, instanceId: string): Watcher {
  return {
    instanceId,
    sentRevision: 0n,
    pendingPing: undefined,
    sendChange: ({ revision, previousLookupHash, keyId, lookupHash, revoked, expiresAt }) =>
      void call.write({
        changed: {
          revision: String(revision),
          keyId,
          lookupHash,
          revoked,
          ...(previousLookupHash === null ? {} : { previousLookupHash }),
          ...(expiresAt === null ? {} : { expiresAtMs: String(expiresAt.getTime()) }),
        },
      }),
    sendHeartbeat: (sequence, revision) =>
      void call.write({ heartbeat: { sequence, revision: String(revision) } }),
    sendRecall: (recall) => void call.write({ recall }),
    sendLimitQuestion: (limitQuestion) => void call.write({ limitQuestion }),
    sendCredentialQuestion: (variables) =>
      void call.write({ credentialQuestion: { variables: [...variables] } }),
    end: () => call.end(),
  };
}
