import type { Mailer } from '@model-gateway/mail';
import type { Registry } from '@model-gateway/service-kit';
import { type EventMailSettings, mailOf } from '../mail/event-mail.ts';
import type { MailDeliveryStore } from '../mail/mail-delivery-store.ts';
import { MailWorker } from '../mail/mail-worker.ts';
import { DeliveryWorker, type DeliveryWorkerContext } from './delivery-worker.ts';
import { ReceiverAddresses } from './receiver-addresses.ts';
import type { ResolveAll } from './resolve-receiver.ts';
import { retryWaitMs } from './retry-schedule.ts';
import { WebhookSender } from './send-webhook.ts';
import { createWebhookMetrics } from './webhook-metrics.ts';

export interface DeliveryOverrides {
  resolveAll?: ResolveAll;
  /** Timeout of one attempt; default 15 s. */
  timeoutMs?: number;
}

interface DeliveryOptions
  extends Pick<DeliveryWorkerContext, 'deliveryStore' | 'log' | 'seals'>,
    EventMailSettings {
  mailDeliveryStore: MailDeliveryStore;
  mailer: Pick<Mailer, 'deliver' | 'isConfigured'>;
  registry: Registry;
  /** Networks that are not public and to which webhooks may connect all the same. */
  webhookNetworks: readonly string[];
}

const TIMEOUT_MS = 15_000;

/** Creates the parts that deliver events. */
export function createDelivery(
  { mailDeliveryStore, mailer, registry, webhookNetworks, ...options }: DeliveryOptions,
  { resolveAll, timeoutMs = TIMEOUT_MS }: DeliveryOverrides = {},
) {
  const webhookSender = new WebhookSender(new ReceiverAddresses(webhookNetworks, resolveAll), timeoutMs);
  const deliveryWorker = new DeliveryWorker({
    ...options,
    sender: webhookSender,
    sendMail: (to, event) => mailer.deliver(mailOf({ to, events: [event] }, options)),
    sendsMail: mailer.isConfigured,
    metrics: createWebhookMetrics(registry),
  });
  const mailWorker = new MailWorker({
    mailDeliveryStore,
    mailer,
    log: options.log,
    settings: options,
    retryWaitMs,
  });
  return { webhookSender, deliveryWorker, mailWorker };
}
