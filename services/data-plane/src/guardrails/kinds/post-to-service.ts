import type { StopSignal } from '@model-gateway/service-kit';
import { Pool } from 'undici';
import { connectToProvider } from '../../egress/connect-to-provider.ts';
import type { EgressProxy } from '../../egress/egress-proxy.ts';

/** More than the texts of any request, repeated. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Calls of one guardrail at a time. Others wait, within their deadline. */
const MAX_CALLS = 256;
const CONNECT_MS = 5_000;

export interface ServiceSettings {
  url: string;
  credential_env?: string | undefined;
  credential_header: string;
}

/**
 * Posts JSON to the service of a guardrail. Redirects are not followed: they could lead anywhere. Idle
 * connections close by themselves, so streams that began before a catalog change still use theirs.
 */
export class GuardrailService {
  readonly #settings: ServiceSettings;
  readonly #path: string;
  readonly #credential: (name: string) => string | undefined;
  readonly #pool: Pool;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  /** @param suffix path after the URL */
  constructor(
    settings: ServiceSettings,
    suffix: string,
    { credential, egress }: { credential: (name: string) => string | undefined; egress: EgressProxy },
  ) {
    const url = new URL(settings.url);
    this.#settings = settings;
    this.#path = `${suffix === '' ? url.pathname : url.pathname.replace(/\/+$/, '')}${suffix}${url.search}`;
    this.#credential = credential;
    this.#pool = new Pool(url.origin, {
      connections: MAX_CALLS,
      connect: connectToProvider(CONNECT_MS, egress),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * @param traceparent sent as a header; undefined: none
   * @throws Error for any answer but JSON with status 200
   */
  async post(content: unknown, signal: StopSignal, traceparent?: string): Promise<unknown> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(traceparent !== undefined && { traceparent }),
      ...this.#keyHeader(),
    };
    await this.#takePlace(signal);
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort);
    try {
      signal.throwIfAborted();
      const { body, statusCode } = await this.#pool.request({
        method: 'POST',
        path: this.#path,
        headers,
        body: JSON.stringify(content),
        signal: stop.signal,
      });
      // A body that is not read to its end emits an error, which would end the process.
      body.on('error', () => undefined);
      if (statusCode !== 200) {
        body.destroy();
        throw new Error(`the service answered ${statusCode}`);
      }
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of body) {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) throw new Error('the answer of the service is too long');
        chunks.push(chunk);
      }
      return JSON.parse(Buffer.concat(chunks).toString());
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#running -= 1;
      const [next] = this.#waiting;
      next?.();
    }
  }

  #keyHeader(): Record<string, string> {
    const { credential_env: name, credential_header: header } = this.#settings;
    if (name === undefined) return {};
    const key = this.#credential(name);
    if (key === undefined) throw new Error(`the credential ${name} is not set`);
    const field = header.toLowerCase();
    return { [field]: field === 'authorization' ? `Bearer ${key}` : key };
  }

  async #takePlace(signal: StopSignal): Promise<void> {
    signal.throwIfAborted();
    while (this.#running >= MAX_CALLS)
      await new Promise<void>((resolve, reject) => {
        const end = () => {
          this.#waiting.delete(go);
          signal.removeEventListener('abort', abandon);
        };
        const go = () => {
          end();
          resolve();
        };
        const abandon = () => {
          end();
          reject(signal.reason);
        };
        this.#waiting.add(go);
        signal.addEventListener('abort', abandon);
      });
    this.#running += 1;
  }
}
