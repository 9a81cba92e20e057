import type { ProviderBody } from '@model-gateway/dialects';
import type { EgressProxy } from '../egress/egress-proxy.ts';

export interface UnsignedRequest {
  method: string;
  /** The provider's origin, as in its base URL: `https://host:port`. */
  origin: string;
  /** The whole path, with the prefix of the base URL and with its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: ProviderBody | undefined;
}

/** A credential that is not a variable itself: a token, or temporary keys. */
export interface FetchedCredential {
  /** Returns the request's headers with the token, or with a signature over the request. */
  authenticate(request: UnsignedRequest): Record<string, string> | Promise<Record<string, string>>;
  /**
   * Completes a path with what only the credential knows, such as a project. Left out: paths are complete.
   */
  completePath?(path: string): string;
  /** Unix milliseconds; undefined: it does not expire. */
  expiresAtMs: number | undefined;
  /** The part that is sent and must be redacted from responses; undefined: none is sent. */
  secret: string | undefined;
}

/** The part of a provider's catalog entry that its credentials depend on. */
export interface CredentialSettings {
  /** The variable that holds the credential; undefined: none is named. */
  credentialEnv: string | undefined;
  region: string | undefined;
  /** The path of the base URL, without a slash at its end. */
  pathPrefix: string;
}

export interface CredentialSource {
  /** Sources with the same key share one fetched credential. */
  key: string;
  name: string;
  /**
   * @param variable returns a stored credential, or the value of an environment variable
   * @param egress connects to servers outside
   * @throws Error that names what the operator must set
   */
  fetch(variable: (name: string) => string | undefined, egress: EgressProxy): Promise<FetchedCredential>;
  /** Returns true if a response means that the credential expired, so that a new one may be accepted. */
  isStale(status: number, bodyText: string): boolean;
}
