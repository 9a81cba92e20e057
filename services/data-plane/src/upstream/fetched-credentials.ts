import { credentialNotFetched } from '@model-gateway/dialects';
import type { Logger } from '@model-gateway/service-kit';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type {
  CredentialSource,
  FetchedCredential,
  UnsignedRequest,
} from '../credential-sources/fetched-credential.ts';
import type { EgressProxy } from '../egress/egress-proxy.ts';

/** A credential is renewed this long before it expires, but at the earliest after 80 % of its lifetime. */
const AHEAD_MS = 5 * 60_000;
const AHEAD_SHARE = 0.2;
/** Minimum remaining lifetime: requests take time, and the provider's clock may be ahead. */
const MIN_REMAINING_MS = 10_000;
const MIN_REMAINING_SHARE = 0.05;
/** A credential that is refused this soon after its fetch is not fetched again. */
const FRESH_MS = 10_000;
/** Pause between fetches after a failure. */
const PAUSE_MS = 1_000;
const FETCH_TIMEOUT_MS = 20_000;
/** Minimum interval between equal log lines. */
const LOG_INTERVAL_MS = 60_000;

/** A fetched credential, for one attempt at a provider. */
export interface HeldCredential extends Pick<FetchedCredential, 'secret'> {
  /** Returns the complete path of a request, and its headers with the credential or a signature. */
  authenticate(request: UnsignedRequest): Promise<{ path: string; headers: Record<string, string> }>;
  /**
   * Call this when the provider refuses it.
   * @returns true if a new one may be accepted: then the next caller fetches it
   */
  refused(status: number, bodyText: string): boolean;
}

interface Held {
  credential: FetchedCredential;
  fetchedAtMs: number;
  /** Unix milliseconds. */
  refreshFromMs: number;
  usableUntilMs: number;
}

interface Entry {
  source: CredentialSource;
  held: Held | undefined;
  pending: Promise<Held> | undefined;
  failure: { error: unknown; atMs: number } | undefined;
  loggedAtMs: number;
}

export interface FetchedCredentialsOptions {
  log: Pick<Logger, 'error' | 'info'>;
  variable: (name: string) => string | undefined;
  egress: EgressProxy;
  /** Unix milliseconds: credentials expire by wall clock. */
  now?: () => number;
}

/**
 * Caches fetched credentials: one fetch at a time per source, renewed ahead of expiry while the old one is
 * still used, and fetched anew after a refusal.
 */
export class FetchedCredentials {
  readonly #log: Pick<Logger, 'error' | 'info'>;
  readonly #variable: FetchedCredentialsOptions['variable'];
  readonly #egress: EgressProxy;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor({ egress, log, variable, now = Date.now }: FetchedCredentialsOptions) {
    this.#egress = egress;
    this.#log = log;
    this.#variable = variable;
    this.#now = now;
  }

  /**
   * Returns the credential, without a promise if it is cached, as nearly always.
   * @throws GatewayError 502 if it cannot be fetched
   */
  get(source: CredentialSource): HeldCredential | Promise<HeldCredential> {
    const entry = this.#entryOf(source);
    const nowMs = this.#now();
    const { held } = entry;
    if (held === undefined || nowMs >= held.usableUntilMs) {
      return this.#fetch(entry).then((fetched) => this.#toHeldCredential(entry, fetched));
    }
    // Renew in the background: this credential is still accepted.
    if (nowMs >= held.refreshFromMs) this.#fetch(entry).catch(() => undefined);
    return this.#toHeldCredential(entry, held);
  }

  /** Forgets all credentials, because the values that they are fetched with changed. */
  forgetAll(): void {
    this.#entries.clear();
  }

  /** Forgets sources that the catalog no longer has. */
  keepOnly(providers: ReadonlyMap<string, Pick<RoutedProvider, 'credentials'>>): void {
    const keys = new Set(
      [...providers.values()].flatMap(({ credentials }) => credentials.map(({ source }) => source?.key)),
    );
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#entries.delete(key);
  }

  #entryOf(source: CredentialSource): Entry {
    let entry = this.#entries.get(source.key);
    if (entry === undefined) {
      const loggedAtMs = Number.NEGATIVE_INFINITY;
      entry = { source, held: undefined, pending: undefined, failure: undefined, loggedAtMs };
      this.#entries.set(source.key, entry);
    }
    return entry;
  }

  #toHeldCredential(entry: Entry, held: Held): HeldCredential {
    return {
      authenticate: async (request) => {
        const path = held.credential.completePath?.(request.path) ?? request.path;
        return { path, headers: await held.credential.authenticate({ ...request, path }) };
      },
      secret: held.credential.secret,
      refused: (status, bodyText) => {
        if (!entry.source.isStale(status, bodyText)) return false;
        if (entry.held !== held) return true;
        const nowMs = this.#now();
        // It may have expired on its way to the provider, however new it was.
        if (nowMs < held.usableUntilMs && nowMs - held.fetchedAtMs < FRESH_MS) return false;
        entry.held = undefined;
        this.#log.info(
          { source: entry.source.name, upstream_status: status },
          'a provider accepts a credential no more: a new one is fetched',
        );
        return true;
      },
    };
  }

  #fetch(entry: Entry): Promise<Held> {
    const { failure, pending } = entry;
    if (pending !== undefined) return pending;
    if (failure !== undefined && this.#now() - failure.atMs < PAUSE_MS)
      return Promise.reject(credentialNotFetched(failure.error));
    entry.pending = this.#fetched(entry).finally(() => {
      entry.pending = undefined;
    });
    // Whoever waits for it gets the failure, too; a caller may have left.
    entry.pending.catch(() => undefined);
    return entry.pending;
  }

  async #fetched(entry: Entry): Promise<Held> {
    try {
      const credential = await withTimeout(entry.source.fetch(this.#variable, this.#egress));
      entry.failure = undefined;
      entry.held = heldFrom(credential, this.#now());
      return entry.held;
    } catch (error) {
      entry.failure = { error, atMs: this.#now() };
      if (entry.failure.atMs - entry.loggedAtMs >= LOG_INTERVAL_MS) {
        entry.loggedAtMs = entry.failure.atMs;
        this.#log.error(
          { source: entry.source.name, error },
          'a credential for a provider cannot be fetched: check the identity that the data plane runs with',
        );
      }
      throw credentialNotFetched(error);
    }
  }
}

function heldFrom(credential: FetchedCredential, nowMs: number): Held {
  const { expiresAtMs = Number.POSITIVE_INFINITY } = credential;
  const lastsMs = Math.max(0, expiresAtMs - nowMs);
  return {
    credential,
    fetchedAtMs: nowMs,
    refreshFromMs: expiresAtMs - Math.min(AHEAD_MS, lastsMs * AHEAD_SHARE),
    usableUntilMs: expiresAtMs - Math.min(MIN_REMAINING_MS, lastsMs * MIN_REMAINING_SHARE),
  };
}

async function withTimeout<Value>(fetched: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`it took longer than ${FETCH_TIMEOUT_MS} ms`)),
    FETCH_TIMEOUT_MS,
  );
  try {
    return await Promise.race([fetched, promise]);
  } finally {
    clearTimeout(timer);
  }
}
