import { type Metadata, status } from '@grpc/grpc-js';
import { AdminProof, newNonce, type ProvedCall } from './admin-proof.ts';
import { callerMetadata, proofMetadata } from './credentials.ts';
import type { ProveServerResponse__Output as ProveServerResponse } from './generated/gateway/v1/ProveServerResponse.ts';
import { grpcStatus } from './grpc-status.ts';

/** The server that a call goes to. */
export interface KnownServer {
  /** `host:port` as requested. */
  address: string;
  /** IP address and port of the connection: a name may stand for several. */
  peer: string;
  /** Id of its database; undefined when trusted without proof. */
  installation: string | undefined;
}

export interface ServerProofOptions {
  /**
   * True: sends the token to a server of an earlier release that cannot prove itself, but never to one that
   * fails to.
   */
  trustsOlder?: boolean;
  /** Called before each call. */
  onServer?: ((server: KnownServer) => void) | undefined;
}

/** Response with the address of the connection that it came from. */
export interface Reply<Response> {
  response: Response;
  peer: string;
}

/** Thrown when a server does not prove that it has the token; it got neither token nor call. */
export class UnprovenServerError extends Error {
  override readonly name = 'UnprovenServerError';
  readonly code = status.UNAUTHENTICATED;
  readonly address: string;
  /** `other_token`: wrong proof. `no_proof`: none, as from another kind of server or release. */
  readonly reason: 'other_token' | 'no_proof';

  constructor(address: string, reason: 'other_token' | 'no_proof', options: ErrorOptions = {}) {
    super(`${address} has not proved that it has the token (${reason})`, options);
    this.address = address;
    this.reason = reason;
  }
}

/** Lets a server prove itself before each call, and creates the caller's proof. */
export class ServerProof {
  readonly #token: string;
  readonly #proof: AdminProof;
  readonly #options: ServerProofOptions;

  constructor(token: string, options: ServerProofOptions) {
    this.#token = token;
    this.#proof = new AdminProof(token);
    this.#options = options;
  }

  /**
   * Creates the metadata of one call.
   * @param prove calls ProveServer without a token
   * @throws UnprovenServerError, or the error of `prove` when nobody replies
   */
  async metadataFor(
    call: ProvedCall,
    address: string,
    prove: (nonce: Buffer) => Promise<Reply<ProveServerResponse>>,
  ): Promise<Metadata> {
    const nonce = newNonce();
    const reply = await prove(nonce).catch((error: unknown) => {
      if (hasNoReply(error)) throw error;
      // Earlier releases lack the method.
      if (this.#options.trustsOlder && grpcStatus(error) === status.UNIMPLEMENTED) return undefined;
      throw new UnprovenServerError(address, 'no_proof', { cause: error });
    });
    if (reply === undefined) {
      this.#options.onServer?.({ address, peer: address, installation: undefined });
      return callerMetadata(this.#token);
    }
    const { response, peer } = reply;
    const { installation } = response;
    const timeMs = Number(response.timeMs);
    const isProven =
      Number.isSafeInteger(timeMs) &&
      this.#proof.verifyServer(response.proof, nonce, { timeMs, installation });
    if (!isProven) throw new UnprovenServerError(address, 'other_token');
    this.#options.onServer?.({ address, peer, installation });
    return proofMetadata(this.#proof.proveCaller(nonce, timeMs, call));
  }
}

/** Returns true when no server replied, so that nothing is known of it. */
function hasNoReply(error: unknown): boolean {
  const code = grpcStatus(error);
  return (
    code === undefined ||
    code === status.UNAVAILABLE ||
    code === status.DEADLINE_EXCEEDED ||
    code === status.CANCELLED
  );
}
