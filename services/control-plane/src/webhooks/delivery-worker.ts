import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { CredentialSeal } from '@model-gateway/shared';
import { failedPrecondition } from '../errors/control-plane-error.ts';
import type { Attempt } from '../events/delivery-attempt.ts';
import type { DeliveryStore, WebhookSecretRow } from './delivery-store.ts';
import { retryWaitMs } from './retry-schedule.ts';
import type { SentWebhook, WebhookSender } from './send-webhook.ts';
import { type ClaimedDelivery, MAIL_URL } from './stored-delivery.ts';
import { webhookBody } from './webhook-body.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';
import { openWebhookSecrets } from './webhook-secrets.ts';

/** Retries come due without a notification. */
const POLL_MS = 1_000;
const MAX_IN_HAND = 128;
const MAX_PER_TARGET = 8;
/** An account may have 50 webhooks. */
const MAX_PER_ACCOUNT = 16;
const GONE = 410;

export interface DeliveryWorkerContext {
  deliveryStore: DeliveryStore;
  sender: WebhookSender;
  /** Sends a test by mail; all else is mailed by MailWorker. Resolves when the mail server has taken it. */
  sendMail: (to: string, event: ClaimedDelivery) => Promise<void>;
  /** True if a mail server is set, so that owners of failing webhooks get mail. */
  sendsMail: boolean;
  seals: readonly CredentialSeal[];
  metrics: WebhookMetrics;
  log: Logger;
}

/**
 * Delivers events. Claims due deliveries, a few of each receiver and account, so that a slow one delays no
 * other. What it does not finish, because it is killed, is due again after a minute for every control plane.
 */
export class DeliveryWorker {
  readonly #context: DeliveryWorkerContext;
  readonly #inHand = new Map<ClaimedDelivery, Promise<void>>();
  /** Webhooks of tests that run. */
  readonly #tested = new Set<string>();
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  /** Receiver whose turn was last. */
  #last = '';

  constructor(context: DeliveryWorkerContext) {
    this.#context = context;
  }

  start(): void {
    this.wake();
  }

  /** Looks for due deliveries now. */
  wake(): void {
    if (this.#stopped.signal.aborted) return;
    this.#isWoken = true;
    if (this.#claiming !== undefined) return;
    clearTimeout(this.#timer);
    this.#claiming = this.#claimAll().finally(() => {
      this.#claiming = undefined;
      if (this.#isWoken) this.wake();
      else this.#timer = setTimeout(() => this.wake(), POLL_MS);
    });
    inBackground(this.#claiming);
  }

  /** Ends attempts that run, and gives their deliveries back. */
  async close(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    await this.#claiming;
    await Promise.all(this.#inHand.values());
    this.#context.sender.close();
  }

  /**
   * Makes the attempt of a test, one at a time for each webhook: nothing else limits attempts that run.
   * @param add stores the test
   * @returns its delivery, before the attempt has ended
   * @throws ControlPlaneError failed_precondition (one runs)
   */
  async test(webhookId: string, add: () => Promise<ClaimedDelivery>) {
    if (this.#tested.has(webhookId))
      throw failedPrecondition(`a test of the webhook ${webhookId} is running: wait until it ends`);
    this.#tested.add(webhookId);
    const end = () => this.#tested.delete(webhookId);
    try {
      const claimed = await add();
      const secrets = await this.#context.deliveryStore.secretsOf([webhookId]);
      return { claimed, delivered: this.deliver(claimed, secrets).finally(end) };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Makes one attempt of a claimed delivery, and stores its result. */
  async deliver(delivery: ClaimedDelivery, secrets: readonly WebhookSecretRow[]): Promise<Attempt> {
    const { attempt, retryAfterMs } = await this.#attempt(delivery, secrets);
    const { deliveryStore, metrics, sendsMail } = this.#context;
    const { target, tries } = delivery;
    metrics.attempts.inc({ outcome: attempt.error === null ? 'delivered' : 'failed' });
    metrics.attemptDuration.observe(attempt.duration_ms / 1_000);
    if (attempt.error === null) {
      await deliveryStore.finish(delivery, attempt);
    } else if (this.#stopped.signal.aborted && attempt.status === null) {
      await deliveryStore.release(delivery);
    } else {
      const isGone = attempt.status === GONE;
      const wait = isGone ? null : retryWaitMs(tries, retryAfterMs);
      if (wait === null) metrics.exhausted.inc();
      await deliveryStore.retry(delivery, attempt, wait);
      if (isGone) await deliveryStore.disableGone(delivery, sendsMail);
      else await deliveryStore.tellFailing(target, sendsMail);
    }
    return attempt;
  }

  async #claimAll(): Promise<void> {
    try {
      while (this.#isWoken && !this.#stopped.signal.aborted) {
        this.#isWoken = false;
        const limit = MAX_IN_HAND - this.#inHand.size;
        if (limit <= 0) return;
        const claimed = await this.#claim(limit);
        this.#isWoken ||= claimed;
      }
    } catch (error) {
      this.#isWoken = false;
      this.#context.log.warn({ error }, 'cannot look for events to deliver');
    }
  }

  /** @returns true if there may be more */
  async #claim(limit: number): Promise<boolean> {
    const { deliveryStore, metrics } = this.#context;
    const after = this.#last;
    const inHand = [...this.#inHand.keys()].map(({ ownerId, target }) => ({ ownerId, target }));
    const most = { limit, perAccount: MAX_PER_ACCOUNT, perTarget: MAX_PER_TARGET };
    const claimed = await deliveryStore.claim({ ...most, inHand, after });
    this.#last = claimed.at(-1)?.target ?? '';
    metrics.lag.set(Math.max(0, ...claimed.map(({ waitedMs }) => waitedMs)) / 1_000);
    const targets = [...new Set(claimed.map(({ target }) => target))];
    const secrets = targets.length === 0 ? [] : await deliveryStore.secretsOf(targets);
    for (const delivery of claimed) {
      const own = secrets.filter(({ endpointId }) => endpointId === delivery.target);
      const work = this.#handle(delivery, own).finally(() => {
        this.#inHand.delete(delivery);
        this.wake();
      });
      this.#inHand.set(delivery, work);
      inBackground(work);
    }
    // Receivers before the last one may have some, too.
    return claimed.length > 0 || after !== '';
  }

  async #handle(delivery: ClaimedDelivery, secrets: readonly WebhookSecretRow[]): Promise<void> {
    const { deliveryStore, log } = this.#context;
    try {
      if (delivery.url === null || delivery.isDisabled) await deliveryStore.hold(delivery.target);
      else await this.deliver(delivery, secrets);
    } catch (error) {
      // It is due again when the claim ends.
      log.warn({ error, event_id: delivery.eventId }, 'cannot store the result of a delivery');
    }
  }

  async #attempt(delivery: ClaimedDelivery, secrets: readonly WebhookSecretRow[]): Promise<SentWebhook> {
    const { seals, sender } = this.#context;
    const { eventId: id, url } = delivery;
    if (url?.startsWith(MAIL_URL)) return await this.#mail(url.slice(MAIL_URL.length), delivery);
    const opened = openWebhookSecrets(seals, secrets);
    const request = { url: url ?? '', id, body: webhookBody(delivery), secrets: opened };
    return await sender.send(request, this.#stopped.signal);
  }

  async #mail(to: string, delivery: ClaimedDelivery): Promise<SentWebhook> {
    const at = new Date();
    let error: string | null = null;
    try {
      await this.#context.sendMail(to, delivery);
    } catch {
      error = 'the mail server did not take the mail';
    }
    const duration_ms = Date.now() - at.getTime();
    const attempt = { at: at.toISOString(), duration_ms, status: null, error, response: null };
    return { attempt, retryAfterMs: undefined };
  }
}
