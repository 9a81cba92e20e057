import type { Logger } from '@model-gateway/service-kit';
import { createTransport, type Transporter } from 'nodemailer';
import { z } from 'zod';
import type { MailConfig } from './mail-settings.ts';

export interface MailerContext {
  mail: MailConfig | undefined;
  log: Logger;
}

export interface Mail {
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

const MAX_CONNECTIONS = 2;
const MAX_WAITING = 200;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;

/** The fields of an SMTP error that cannot contain an address. */
const refusal = z.object({
  code: z.string().optional(),
  responseCode: z.number().optional(),
  command: z.string().optional(),
});

/** A mail that the mail server did not take. Its fields are safe to log: they never name the recipient. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  readonly refusal: z.infer<typeof refusal> | undefined;

  constructor(error: unknown) {
    super('a mail could not be sent');
    this.refusal = refusal.safeParse(error).data;
  }
}

/** Sends mails over SMTP. */
export class Mailer {
  readonly #log: Logger;
  readonly #from: string;
  readonly #transport: Transporter | undefined;
  readonly #waiting = new Set<Promise<void>>();

  constructor({ mail, log }: MailerContext) {
    this.#log = log;
    this.#from = mail?.from ?? '';
    if (mail === undefined) return;
    this.#transport = createTransport({
      url: mail.url,
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      requireTLS: mail.requiresTls,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      // A mail never includes a file or the content of a URL.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // A connection of the pool may fail while it sends no mail.
    this.#transport.on('error', (error) => this.#failed(new MailRefused(error)));
  }

  get isConfigured(): boolean {
    return this.#transport !== undefined;
  }

  /**
   * Sends a mail in the background, so that no response shows by its time whether one was sent. Failures go
   * to the log.
   */
  send(mail: Mail): void {
    if (this.#transport === undefined) return;
    if (this.#waiting.size >= MAX_WAITING) {
      this.#log.warn(
        { waiting: this.#waiting.size },
        'a mail is not sent: too many wait for the mail server',
      );
      return;
    }
    const sending = this.deliver(mail)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => this.#waiting.delete(sending));
    this.#waiting.add(sending);
  }

  /** Resolves when the mail server has taken the mail. @throws MailRefused */
  async deliver(mail: Mail): Promise<void> {
    try {
      if (this.#transport === undefined) throw new Error('no mail server is set');
      await this.#transport.sendMail({ from: this.#from, ...mail });
    } catch (error) {
      throw new MailRefused(error);
    }
  }

  /** Resolves when all mails are sent, or after `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#transport === undefined) return;
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    await Promise.race([Promise.all(this.#waiting), timeout]);
    clearTimeout(timer);
    this.#transport.close();
  }

  #failed(error: unknown): void {
    const reason = error instanceof MailRefused ? error.refusal : undefined;
    this.#log.warn({ refusal: reason }, 'a mail could not be sent');
  }
}
