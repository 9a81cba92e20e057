import type { Logger } from '@model-gateway/service-kit';
import { NotificationListener } from './database/notification-listener.ts';

interface Woken {
  wake(): void;
}

interface NotifiedParts {
  catalogFeed: Woken;
  credentialFeed: Woken;
  delivery: { deliveryWorker: Woken; mailWorker: Woken };
  drainFeed: Woken;
  keyFeed: Woken;
  recallFeed: Woken;
  returnsWait: Woken;
  revocationLog: Woken;
  watcherWait: Woken;
  log: Logger;
}

/** Wakes the parts of a control plane when the database notifies it of changes. */
export function listenForNotifications(databaseUrl: string, parts: NotifiedParts): NotificationListener {
  const wake = (...woken: readonly Woken[]) => {
    return () => {
      for (const each of woken) each.wake();
    };
  };
  return new NotificationListener({
    databaseUrl,
    log: parts.log,
    channels: {
      gateway_keys: wake(parts.keyFeed, parts.revocationLog),
      gateway_watchers: wake(parts.watcherWait),
      gateway_catalog: wake(parts.catalogFeed, parts.credentialFeed),
      gateway_credentials: wake(parts.credentialFeed),
      gateway_drains: wake(parts.drainFeed),
      gateway_recalls: wake(parts.recallFeed),
      gateway_returns: wake(parts.returnsWait),
      gateway_events: wake(parts.delivery.deliveryWorker, parts.delivery.mailWorker),
    },
  });
}
