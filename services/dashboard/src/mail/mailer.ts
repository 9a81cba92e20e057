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
  /** One address. */
  to: string;
  subject: string;
  /** Plain text: nothing in it is anything but words and links. */
  text: string;
}

/** Connections to the mail server at a time; more mails wait. */
const MAX_CONNECTIONS = 2;
const MAX_WAITING = 200;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;

/** What a mail server's refusal says without naming anybody. */
const refusal = z.object({
  code: z.string().optional(),
  responseCode: z.number().optional(),
  command: z.string().optional(),
});

/**
 * Sends mails over SMTP, in the background: no answer waits for a mail server, nor tells whether a mail was
 * sent.
 */
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
      // Neither files nor addresses of the network are ever part of a mail.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // A connection of the pool may fail while no mail is on it.
    this.#transport.on('error', (error) => this.#failed(error));
  }

  get isConfigured(): boolean {
    return this.#transport !== undefined;
  }

  /** Returns at once; a mail that cannot be sent is in the log. */
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

  /** Resolves when every mail that was to be sent is, or `patienceMs` are over. */
  async close(patienceMs: number): Promise<void> {
    if (this.#transport === undefined) return;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patienceMs);
    await Promise.race([Promise.all(this.#waiting), over]);
    clearTimeout(timer);
    this.#transport.close();
  }

  /** Its message may name the recipient, whom no log needs to know. */
  #failed(error: unknown): void {
    this.#log.warn({ refusal: refusal.safeParse(error).data }, 'a mail could not be sent');
  }
}
