import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Webhook } from 'standardwebhooks';
import type { Attempt } from '../events/delivery-attempt.ts';
import { type ReceiverAddresses, RefusedReceiver } from './receiver-addresses.ts';
import { parseRetryAfterMs } from './retry-schedule.ts';

const READ_BYTES = 4 * 1024;
const KEPT_CHARACTERS = 200;
const USER_AGENT = 'model-gateway-webhooks/1';

export interface SignedRequest {
  url: string;
  /** Id of the event. */
  id: string;
  body: string;
  /** Valid secrets: there is a signature for each. */
  secrets: readonly string[];
}

export interface SentWebhook {
  attempt: Attempt;
  /** Wait that the receiver asks for; undefined: none. */
  retryAfterMs: number | undefined;
}

/** Idle connections close before most receivers close them, because a request on a closed one fails. */
const IDLE_MS = 4_000;

/** Sends events as Standard Webhooks says. */
export class WebhookSender {
  readonly #addresses: ReceiverAddresses;
  readonly #timeoutMs: number;
  readonly #agents = {
    'http:': new Agent({ keepAlive: true, timeout: IDLE_MS }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
  };

  /** @param timeoutMs of a whole attempt */
  constructor(addresses: ReceiverAddresses, timeoutMs: number) {
    this.#addresses = addresses;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws RefusedReceiver if the URL names an address to which nothing is sent; names are not resolved */
  requireLiteral(url: URL): void {
    this.#addresses.requireLiteral(url);
  }

  /**
   * Sends an event once. Only a status of 2xx is success: redirects are not followed. Reads a few kB of the
   * response at most.
   * @param stopped ends the attempt early
   */
  async send(request: SignedRequest, stopped: AbortSignal): Promise<SentWebhook> {
    const at = new Date();
    const startedMs = performance.now();
    const made = (rest: Pick<Attempt, 'error' | 'response' | 'status'>): Attempt => ({
      at: at.toISOString(),
      duration_ms: Math.round(performance.now() - startedMs),
      ...rest,
    });
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      const signal = AbortSignal.any([timeout, stopped]);
      const { response, retryAfter, status } = await this.#post(request, at, signal);
      const error = errorOfStatus(status);
      return { attempt: made({ status, error, response }), retryAfterMs: parseRetryAfterMs(retryAfter) };
    } catch (thrown) {
      const error = timeout.aborted ? `no response within ${this.#timeoutMs} ms` : describeFailure(thrown);
      return { attempt: made({ status: null, error, response: null }), retryAfterMs: undefined };
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #post(
    { body, id, secrets, url: text }: SignedRequest,
    at: Date,
    signal: AbortSignal,
  ): Promise<Answer> {
    if (secrets.length === 0)
      throw new RefusedReceiver('its secret cannot be read with the present pepper: rotate the secret');
    const url = new URL(text);
    this.#addresses.requireLiteral(url);
    const isSecure = url.protocol === 'https:';
    const send = isSecure ? httpsRequest : httpRequest;
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = send(url, {
        method: 'POST',
        agent: this.#agents[isSecure ? 'https:' : 'http:'],
        lookup: this.#addresses.lookupFor(url.protocol),
        signal,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': USER_AGENT,
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
        },
      });
      sent.on('response', resolve);
      sent.on('error', reject);
      // Node reports nothing else of a response with status 101.
      sent.on('close', () => reject(new Error('the connection was closed')));
      sent.end(body);
    });
    const response = await readStart(message);
    return { status: message.statusCode ?? 0, retryAfter: message.headers['retry-after'], response };
  }
}

interface Answer {
  status: number;
  retryAfter: string | undefined;
  response: string;
}

/** Reads the first kB of a body, and drops the connection of a longer one. */
async function readStart(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of message) {
      chunks.push(chunk);
      length += chunk.length;
      // Leaving the loop destroys the connection.
      if (length >= READ_BYTES) break;
    }
  } catch {
    // The status has decided already: a body that breaks off, or takes too long, changes nothing.
  }
  // Postgres stores neither a NUL nor half of a surrogate pair in JSON.
  return Buffer.concat(chunks).toString().replaceAll('\0', '').slice(0, KEPT_CHARACTERS).toWellFormed();
}

function errorOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `status ${status}: redirects are not followed`;
  if (status === 410) return 'status 410: the receiver is gone, so the webhook was disabled';
  return `status ${status}`;
}

/** Describes a failure without addresses, which a DNS may keep secret. */
function describeFailure(thrown: unknown): string {
  if (thrown instanceof RefusedReceiver) return thrown.message;
  const { code, errors, name } = thrown as { code?: string; errors?: { code?: string }[]; name?: string };
  const reason = code ?? errors?.[0]?.code;
  if (name === 'AbortError') return 'interrupted: the control plane stopped';
  return `no response: ${reason ?? (thrown instanceof Error ? thrown.message : 'unknown failure')}`;
}
