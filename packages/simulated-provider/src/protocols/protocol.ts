import type { IncomingHttpHeaders } from 'node:http';
import type { SseEvent } from '../answers/sse-event.ts';
import type { Vendor } from '../billing/served-work.ts';
import type { ProviderError } from '../errors/provider-error.ts';
import { isSameSecret } from '../text/signatures.ts';
import type { IssuedTokens } from '../tokens/issued-tokens.ts';
import type { SignedRequest } from './aws-signature.ts';

/** Facts about a protocol's streams that faults need. */
export interface StreamShape {
  /** Faults in the middle of a stream come after this many events, which include the first token. */
  readonly faultAfterEvents: number;
  /** The content type, if it is not that of server-sent events; `frame` serializes an event. */
  readonly contentType?: string;
  frame?(event: SseEvent): Buffer;
  isLast(event: SseEvent): boolean;
  /** The event of a provider that fails after its response has begun. */
  readonly errorEvent: SseEvent;
  /** The name of an event with text, and its JSON around a text of any length. */
  readonly textEvent: { readonly name: string | undefined; readonly before: string; readonly after: string };
}

/** Differences between the simulated APIs, besides the bodies of requests and responses. */
export interface Protocol {
  /** Whose bill has the requests. */
  readonly vendor: Vendor;
  /** Returns the credential of a request from the header in which this API expects it. */
  credential(headers: IncomingHttpHeaders): string | undefined;
  /**
   * Checks the headers of a request.
   * @param apiKey the only accepted credential; undefined: none is needed
   * @param request what signatures and tokens are checked against
   * @throws ProviderError
   */
  checkHead(
    headers: IncomingHttpHeaders,
    apiKey: string | undefined,
    request: Pick<SignedRequest, 'method' | 'url' | 'body'> & { tokens: Pick<IssuedTokens, 'accepts'> },
  ): void;
  answerHeaders(requestId: string): Readonly<Record<string, string>>;
  /** Headers of errors that this API puts into the body instead. */
  readonly bodyOnlyHeaders?: readonly string[];
  errorBody(error: ProviderError, requestId: string): object;
  /** Returns this API's usual error for a status; undefined if it has none. */
  refusal(status: number): { readonly message: string; readonly code?: string } | undefined;
  /** Returns this API's error for an unknown member of the body. */
  unknownMember(name: string): ProviderError;
  readonly stream: StreamShape;
}

/** @throws ProviderError unless the key is right, or none is needed */
export function checkKey(
  given: string | undefined,
  apiKey: string | undefined,
  errors: { missing: ProviderError; wrong: ProviderError },
): void {
  if (apiKey === undefined) return;
  if (given === undefined) throw errors.missing;
  if (!isSameSecret(given, apiKey)) throw errors.wrong;
}
