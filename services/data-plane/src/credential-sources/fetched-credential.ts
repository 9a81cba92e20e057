import type { ProviderBody } from '@model-gateway/dialects';

/** A request that lacks nothing but what proves who asks. */
export interface UnprovenRequest {
  method: string;
  /** The provider's origin, as in its base URL: `https://host:port`. */
  origin: string;
  /** The whole path, with the prefix of the base URL and with its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: ProviderBody | undefined;
}

/**
 * A credential that the environment does not hold as such: a token, or the keys that an identity has for now.
 */
export interface FetchedCredential {
  /**
   * The head of a request with what proves who asks: the token, or a signature over all of the request. The
   * latter takes a moment.
   */
  prove(request: UnprovenRequest): Record<string, string> | Promise<Record<string, string>>;
  /** A path with what only the credential tells of it, such as a project. Left out: it is whole as it is. */
  placed?(path: string): string;
  /** Unix milliseconds; undefined: it does not expire. */
  expiresAtMs: number | undefined;
  /** The part that goes out and must appear in no response; undefined: it stays in the process. */
  secret: string | undefined;
}

/** Settings of a provider that its credentials depend on. */
export interface CredentialPlace {
  /** The variable that holds its credential; undefined: none is named. */
  credentialEnv: string | undefined;
  region: string | undefined;
  /** The path of its base URL, without a slash at its end. */
  pathPrefix: string;
}

/** Where such credentials come from. */
export interface CredentialSource {
  /** Sources with the same key give the same credential, which is fetched once for all of them. */
  key: string;
  /** For the operator's log: whose credentials these are. */
  name: string;
  /**
   * @param variable what stands in a variable of the environment
   * @throws whatever tells the operator why there is none
   */
  fetch(variable: (name: string) => string | undefined): Promise<FetchedCredential>;
  /** Returns true if an answer says that the credential has had its day: a new one may be accepted. */
  isStale(status: number, bodyText: string): boolean;
}
