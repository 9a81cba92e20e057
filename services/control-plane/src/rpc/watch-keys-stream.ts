import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { WatchKeysEventMessage, WatchKeysRequestMessage } from '@model-gateway/contracts';
import { DataPlaneWatch, type DataPlaneWatchContext } from '../data-planes/data-plane-watch.ts';
import type { Watcher } from '../data-planes/key-feed.ts';
import { toServiceError } from '../errors/map-error.ts';
import { omitAbsent } from '../omit-absent.ts';

type WatchKeysCall = ServerDuplexStream<WatchKeysRequestMessage, Partial<WatchKeysEventMessage>>;

export function watchKeysStream(context: DataPlaneWatchContext, call: WatchKeysCall): void {
  const watch = new DataPlaneWatch(context, (instanceId) => watcherOf(call, instanceId));
  call.on('data', (message: WatchKeysRequestMessage) => {
    // No destroy(): it sends no status, and the data plane would wait for one.
    watch
      .receive(message)
      .catch((error: unknown) => void call.emit('error', toServiceError(context.log, error)));
  });
  // The data plane ended its side: a goodbye. A broken connection emits `end` too, followed by `cancelled`.
  call.on('end', () =>
    setImmediate(() => {
      if (call.cancelled) return;
      watch.goodbye();
      call.end();
    }),
  );
  for (const event of ['cancelled', 'error', 'close']) call.on(event, () => watch.broken());
}

function watcherOf(call: WatchKeysCall, instanceId: string): Watcher {
  return {
    instanceId,
    sentRevision: 0n,
    pendingPing: undefined,
    isGone: () => call.destroyed || call.cancelled,
    sendWelcome: (revision, reset) => void call.write({ welcome: { revision: String(revision), reset } }),
    sendChange: ({ revision, previousLookupHash, keyId, lookupHash, revoked, expiresAt }) =>
      void call.write({
        changed: {
          revision: String(revision),
          keyId,
          lookupHash,
          revoked,
          ...omitAbsent({ previousLookupHash, expiresAtMs: expiresAt && String(expiresAt.getTime()) }),
        },
      }),
    sendHeartbeat: (sequence, revision) =>
      void call.write({ heartbeat: { sequence, revision: String(revision) } }),
    sendRecall: (recall) => void call.write({ recall }),
    sendLimitQuestion: (limitQuestion) => void call.write({ limitQuestion }),
    sendCredentialQuestion: (variables) =>
      void call.write({ credentialQuestion: { variables: [...variables] } }),
    sendResponsesUnfollowed: () => void call.write({ responsesUnfollowed: {} }),
    sendDrainOrder: (drained) => void call.write({ drainOrder: { drained } }),
    end: () => call.end(),
  };
}
