import type { Mailer } from '@model-gateway/mail';
import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { Attempt } from '../events/delivery-attempt.ts';
import { type EventMailSettings, mailOf } from './event-mail.ts';
import type { ClaimedMail, MailDeliveryStore } from './mail-delivery-store.ts';

/** Retries and new hours come without a notification. */
const POLL_MS = 2_000;

export interface MailWorkerContext {
  mailDeliveryStore: MailDeliveryStore;
  mailer: Pick<Mailer, 'deliver' | 'isConfigured'>;
  log: Logger;
  settings: EventMailSettings;
  /** Returns the wait after a number of failed attempts; null: none follows. */
  retryWaitMs: (tries: number) => number | null;
}

/**
 * Sends events by mail: to addresses that events name, and for webhooks with a mailto: URL. Sends one mail at
 * a time, to be gentle with the mail server. Without one, events wait.
 */
export class MailWorker {
  readonly #context: MailWorkerContext;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isClosed = false;

  constructor(context: MailWorkerContext) {
    this.#context = context;
  }

  start(): void {
    if (this.#context.mailer.isConfigured) this.wake();
    else this.#isClosed = true;
  }

  /** Looks for due mails now. */
  wake(): void {
    if (this.#isClosed) return;
    this.#isWoken = true;
    if (this.#running !== undefined) return;
    clearTimeout(this.#timer);
    this.#running = this.#sendAll().finally(() => {
      this.#running = undefined;
      if (this.#isClosed) return;
      if (this.#isWoken) this.wake();
      else this.#timer = setTimeout(() => this.wake(), POLL_MS);
    });
    inBackground(this.#running);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #sendAll(): Promise<void> {
    try {
      this.#isWoken = false;
      let claimed = await this.#context.mailDeliveryStore.claim();
      while (claimed !== undefined) {
        await this.#send(claimed);
        if (this.#isClosed) return;
        claimed = await this.#context.mailDeliveryStore.claim();
      }
    } catch (error) {
      this.#context.log.warn({ error }, 'cannot look for events to mail');
    }
  }

  async #send(claimed: ClaimedMail): Promise<void> {
    const { log, mailDeliveryStore, mailer, retryWaitMs, settings } = this.#context;
    const at = new Date();
    const attempt = (error: string | null): Attempt => ({
      at: at.toISOString(),
      duration_ms: Date.now() - at.getTime(),
      ...{ status: null, error, response: null },
    });
    try {
      await mailer.deliver(mailOf(claimed, settings));
    } catch {
      log.warn(
        { events: claimed.events.map(({ eventId }) => eventId) },
        'a mail of events could not be sent',
      );
      await mailDeliveryStore.retry(claimed, attempt('the mail server did not take the mail'), retryWaitMs);
      return;
    }
    await mailDeliveryStore.finish(claimed, attempt(null));
  }
}
