import type { IncomingHttpHeaders } from 'node:http';
import type { StreamShape } from '../answers/stream-shape.ts';
import type { ProviderError } from '../errors/provider-error.ts';
import type { IssuedTokens } from '../tokens/issued-tokens.ts';
import type { SignedRequest } from './aws-signature.ts';

/** Differences between the simulated APIs, besides the bodies of requests and responses. */
export interface Protocol {
  /** The credential of a request, wherever this API looks for it. */
  credential(headers: IncomingHttpHeaders): string | undefined;
  /**
   * Checks the head of a request.
   * @param request the rest of it, where its head is about that, too, and the tokens that were issued
   * @param apiKey the only credential that is accepted; undefined: none is needed
   * @throws ProviderError
   */
  checkHead(
    headers: IncomingHttpHeaders,
    apiKey: string | undefined,
    request: Pick<SignedRequest, 'method' | 'url' | 'body'> & { tokens: Pick<IssuedTokens, 'accepts'> },
  ): void;
  answerHeaders(requestId: string): Readonly<Record<string, string>>;
  /** Headers of an error that this API says in its body instead. */
  readonly bodyOnlyHeaders?: readonly string[];
  errorBody(error: ProviderError, requestId: string): object;
  /** How this API words a refusal with this status; undefined where it has no usual words. */
  refusal(status: number): { readonly message: string; readonly code?: string } | undefined;
  /** The refusal of a member of the body that this API does not know. */
  unknownMember(name: string): ProviderError;
  readonly stream: StreamShape;
}
