import type { Logger } from '@model-gateway/service-kit';

/** Answers about who asks. A 402 is not among them: providers send it for requests that are large, too. */
const REFUSALS = new Set([401, 403]);
/**
 * Words of a 403 that is about what was asked: moderation, a content filter, a firewall before the provider
 * that takes a prompt for an attack. Every other one is about the credential, or about what its owner may do.
 */
const ABOUT_CONTENT =
  /moderat|flagged|content[ _-]?(?:filter|policy|management)|safety|harmful|violat|guardrail|(?:request|prompt|input|you)(?: was| has been| have been| is)? blocked/i;

/** Who asked, and with what. */
export interface AskedAs {
  providerId: string;
  /** Name of the environment variable; undefined: no credential was sent, but one that was fetched. */
  credentialEnv: string | undefined;
  /** Where a credential was fetched. */
  source?: string | undefined;
}

/**
 * The cause of a failure that only the operator can mend: the provider does not accept the credential of the
 * gateway. Its message is for the operator's log: it names the provider and the variable.
 */
export class AccessRefused extends Error {
  override readonly name = 'AccessRefused';
  readonly askedAs: AskedAs;
  readonly httpStatus: number;

  constructor(askedAs: AskedAs, httpStatus: number) {
    super(`the provider ${askedAs.providerId} answered ${httpStatus} to a request ${withWhat(askedAs)}`);
    this.askedAs = askedAs;
    this.httpStatus = httpStatus;
  }
}

function withWhat({ credentialEnv, source }: AskedAs): string {
  if (credentialEnv !== undefined) return `with the credential of ${credentialEnv}`;
  return source === undefined ? 'without a credential' : `with ${source}`;
}

/**
 * The cause of a failure of a credential that was fetched and has had its day: the request may be sent once
 * more, with a new one.
 */
export class StaleCredential extends Error {
  override readonly name = 'StaleCredential';
}

export function isOfStaleCredential(failure: unknown): boolean {
  for (let cause = failure; cause instanceof Error; { cause } = cause) {
    if (cause instanceof StaleCredential) return true;
  }
  return false;
}

/** The cause of a failure of a credential that has to be fetched and could not be: its provider was asked nothing. */
export class CredentialNotFetched extends Error {
  override readonly name = 'CredentialNotFetched';
}

/** Whether a failure comes from the credential alone, so that another one of the same provider may be accepted. */
export function isOfCredential(failure: unknown): boolean {
  for (let cause = failure; cause instanceof Error; { cause } = cause) {
    if (cause instanceof AccessRefused || cause instanceof CredentialNotFetched) return true;
  }
  return false;
}

/** Whether an answer says that the gateway itself is refused. @param bodyText the beginning of the answer */
export function isAccessRefused(status: number, bodyText: string): boolean {
  return REFUSALS.has(status) && !(status === 403 && ABOUT_CONTENT.test(bodyText));
}

/** The refusal that a failure comes from; undefined: it comes from something else. */
export function accessRefusedBehind(failure: unknown): AccessRefused | undefined {
  for (let cause = failure; cause instanceof Error; { cause } = cause) {
    if (cause instanceof AccessRefused) return cause;
  }
  return undefined;
}

/** One refusal is as good as a thousand. */
const QUIET_MS = 60_000;

/**
 * Tells the operator, once a minute for each credential, that its provider refuses it: also where another
 * credential or another upstream has helped and no caller has noticed.
 */
export class RefusedAccessLog {
  readonly #log: Pick<Logger, 'error'>;
  /** By provider, then by variable. */
  readonly #saidAtMs = new Map<string, Map<string | undefined, number>>();

  constructor(log: Pick<Logger, 'error'>) {
    this.#log = log;
  }

  /** Says nothing of a failure that is something else. */
  note(failure: unknown): void {
    const refused = accessRefusedBehind(failure);
    if (refused === undefined) return;
    const { credentialEnv, providerId, source } = refused.askedAs;
    const nowMs = performance.now();
    const ofProvider = this.#saidAtMs.get(providerId) ?? new Map<string | undefined, number>();
    if (nowMs - (ofProvider.get(credentialEnv) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    this.#saidAtMs.set(providerId, ofProvider.set(credentialEnv, nowMs));
    this.#log.error(
      { provider: providerId, credential_env: credentialEnv, source, upstream_status: refused.httpStatus },
      source === undefined
        ? 'a provider refuses the credential of the gateway: set the variable to one that it accepts, and restart'
        : 'a provider refuses the identity of the gateway: look at what it may do there',
    );
  }

  /** Forgets providers that the catalog no longer has. */
  keepOnly(providerIds: ReadonlyMap<string, unknown>): void {
    for (const id of this.#saidAtMs.keys()) if (!providerIds.has(id)) this.#saidAtMs.delete(id);
  }
}
