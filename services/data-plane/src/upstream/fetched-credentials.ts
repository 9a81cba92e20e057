import { credentialNotFetched } from '@model-gateway/dialects';
import type { Logger } from '@model-gateway/service-kit';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { CredentialSource, FetchedCredential } from '../credential-sources/fetched-credential.ts';

/** So long before its end a credential is replaced, but not before four fifths of its time are over. */
const AHEAD_MS = 5 * 60_000;
const AHEAD_SHARE = 0.2;
/** A request that is sent now is looked at this much later by the provider, whose clock may be ahead. */
const LEAST_LEFT_MS = 10_000;
const LEAST_LEFT_SHARE = 0.05;
/** One that was fetched just now and is refused is not worth another one. */
const FRESH_MS = 10_000;
/** After a failure nobody is asked for so long. */
const PAUSE_MS = 1_000;
const FETCH_MS = 20_000;
/** One word to the operator is as good as a thousand. */
const QUIET_MS = 60_000;

/** A credential that was fetched, for one attempt at a provider. */
export interface HeldCredential extends Pick<FetchedCredential, 'prove' | 'secret'> {
  /**
   * The provider has not accepted it.
   * @returns true if a new one may be accepted: then it is fetched for whoever asks next
   */
  refused(status: number, bodyText: string): boolean;
  /** A path with what only the credential tells of it. */
  placed(path: string): string;
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
  saidAtMs: number;
}

export interface FetchedCredentialsOptions {
  log: Pick<Logger, 'error' | 'info'>;
  variable: (name: string) => string | undefined;
  /** Unix milliseconds: credentials say when they end by the clock on the wall. */
  now?: () => number;
}

/**
 * Keeps credentials that have to be fetched: one fetch at a time for each source, a new one ahead of the end
 * of the old one, which is used meanwhile. A credential that a provider refuses is fetched anew.
 */
export class FetchedCredentials {
  readonly #log: Pick<Logger, 'error' | 'info'>;
  readonly #variable: FetchedCredentialsOptions['variable'];
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor({ log, variable, now = Date.now }: FetchedCredentialsOptions) {
    this.#log = log;
    this.#variable = variable;
    this.#now = now;
  }

  /**
   * No promise where it is at hand, as it is for nearly every request.
   * @throws GatewayError 502 when it cannot be fetched
   */
  get(source: CredentialSource): HeldCredential | Promise<HeldCredential> {
    const entry = this.#entryOf(source);
    const nowMs = this.#now();
    const { held } = entry;
    if (held === undefined || nowMs >= held.usableUntilMs) {
      return this.#fetch(entry).then((fetched) => this.#handedOut(entry, fetched));
    }
    // This request has a credential that is still accepted; later ones must not wait.
    if (nowMs >= held.refreshFromMs) this.#fetch(entry).catch(() => undefined);
    return this.#handedOut(entry, held);
  }

  /** Forgets what the catalog needs no more. */
  keepOnly(providers: ReadonlyMap<string, Pick<RoutedProvider, 'credentials'>>): void {
    const keys = new Set(
      [...providers.values()].flatMap(({ credentials }) => credentials.map(({ source }) => source?.key)),
    );
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#entries.delete(key);
  }

  #entryOf(source: CredentialSource): Entry {
    let entry = this.#entries.get(source.key);
    if (entry === undefined) {
      const saidAtMs = Number.NEGATIVE_INFINITY;
      entry = { source, held: undefined, pending: undefined, failure: undefined, saidAtMs };
      this.#entries.set(source.key, entry);
    }
    return entry;
  }

  #handedOut(entry: Entry, held: Held): HeldCredential {
    return {
      prove: (request) => held.credential.prove(request),
      placed: (path) => held.credential.placed?.(path) ?? path,
      secret: held.credential.secret,
      refused: (status, bodyText) => {
        if (!entry.source.isStale(status, bodyText)) return false;
        if (entry.held !== held) return true;
        const nowMs = this.#now();
        // It may have ended on its way to the provider, however new it was.
        if (nowMs < held.usableUntilMs && nowMs - held.fetchedAtMs < FRESH_MS) return false;
        entry.held = undefined;
        this.#log.info(
          { source: entry.source.name, upstream_status: status },
          'a provider accepts a credential no more that was fetched: a new one is fetched',
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
    return entry.pending;
  }

  async #fetched(entry: Entry): Promise<Held> {
    try {
      const credential = await withinTime(entry.source.fetch(this.#variable));
      entry.failure = undefined;
      entry.held = heldFrom(credential, this.#now());
      return entry.held;
    } catch (error) {
      entry.failure = { error, atMs: this.#now() };
      if (entry.failure.atMs - entry.saidAtMs >= QUIET_MS) {
        entry.saidAtMs = entry.failure.atMs;
        this.#log.error(
          { source: entry.source.name, error },
          'a credential for a provider cannot be fetched: look at the identity that the data plane runs with',
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
    usableUntilMs: expiresAtMs - Math.min(LEAST_LEFT_MS, lastsMs * LEAST_LEFT_SHARE),
  };
}

async function withinTime<Value>(fetched: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const patience = setTimeout(() => reject(new Error(`it took longer than ${FETCH_MS} ms`)), FETCH_MS);
  try {
    return await Promise.race([fetched, promise]);
  } finally {
    clearTimeout(patience);
  }
}
