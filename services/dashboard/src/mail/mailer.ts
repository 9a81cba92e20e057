import type { Logger } from '@model-gateway/service-kit';
import { createTransport, type Transporter } from 'nodemailer';
import { z } from 'zod';
import type { MailConfig } from '../config.ts';

export interface MailerContext {
  /** Undefined: no mail is sent. */
  mail: MailConfig | undefined;
  log: Logger;
}

export interface Mail {
  /** A single address. */
  to: string;
  subject: string;
  /** Plain text, which contains nothing but words and links. */
  text: string;
}

/** How many connections to the mail server are open at the same time. More mails wait. */
const MAX_CONNECTIONS = 2;
const MAX_WAITING = 200;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;

/** The parts of a mail server's refusal that name nobody. */
const refusal = z.object({
  code: z.string().optional(),
  responseCode: z.number().optional(),
  command: z.string().optional(),
});

/** Sends mails over SMTP in the background: no answer waits for that, or shows whether one was sent. */
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
    this.#transport.on('error', (error) => this.#failed(error));
  }

  get isConfigured(): boolean {
    return this.#transport !== undefined;
  }

  /** Returns at once. A mail that cannot be sent is reported in the log. */
  send(mail: Mail): void {
    if (this.#transport === undefined) return;
    if (this.#waiting.size >= MAX_WAITING) {
      this.#log.warn(
        { waiting: this.#waiting.size },
        'a mail is not sent: too many wait for the mail server',
      );
      return;
    }
    const sending = this.#transport
      .sendMail({ from: this.#from, ...mail })
      .then(
        () => undefined,
        (error: unknown) => this.#failed(error),
      )
      .finally(() => this.#waiting.delete(sending));
    this.#waiting.add(sending);
  }

  /** Resolves when all mails are sent, or when `patienceMs` are over. */
  async close(patienceMs: number): Promise<void> {
    if (this.#transport === undefined) return;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patienceMs);
    await Promise.race([Promise.all(this.#waiting), over]);
    clearTimeout(timer);
    this.#transport.close();
  }

  /** The error's message is left out, because it may name the recipient. */
  #failed(error: unknown): void {
    this.#log.warn({ refusal: refusal.safeParse(error).data }, 'a mail could not be sent');
  }
}
