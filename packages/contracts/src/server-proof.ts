import { type Metadata, status } from '@grpc/grpc-js';
import { AdminProof, newNonce } from './admin-proof.ts';
import { callerMetadata, proofMetadata } from './credentials.ts';
import type { ProveServerResponse__Output as ProveServerResponse } from './generated/gateway/v1/ProveServerResponse.ts';
import { grpcStatus } from './grpc-status.ts';

/** Server of a call. */
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

/** Reply of ProveServer. */
export interface ProofAnswer {
  response: ProveServerResponse;
  peer: string;
}

/** Server without proof of the token; it got neither token nor call. */
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
   * @param path method to call: `/gateway.v1.AdminService/GetStatus`
   * @param ask calls ProveServer without a token
   * @throws UnprovenServerError, or the error of `ask` when nobody answers
   */
  async metadataFor(
    path: string,
    address: string,
    ask: (nonce: Buffer) => Promise<ProofAnswer>,
  ): Promise<Metadata> {
    const nonce = newNonce();
    const answer = await ask(nonce).catch((error: unknown) => {
      if (isUnanswered(error)) throw error;
      // Earlier releases lack the method.
      if (this.#options.trustsOlder && grpcStatus(error) === status.UNIMPLEMENTED) return undefined;
      throw new UnprovenServerError(address, 'no_proof', { cause: error });
    });
    if (answer === undefined) {
      this.#options.onServer?.({ address, peer: address, installation: undefined });
      return callerMetadata(this.#token);
    }
    const { response, peer } = answer;
    const { installation } = response;
    const timeMs = Number(response.timeMs);
    const isProven =
      Number.isSafeInteger(timeMs) && this.#proof.isOfServer(response.proof, nonce, { timeMs, installation });
    if (!isProven) {
      throw new UnprovenServerError(address, 'other_token');
    }
    this.#options.onServer?.({ address, peer, installation });
    return proofMetadata(this.#proof.ofCaller(nonce, timeMs, path));
  }
}

/** Returns true when nobody answered, so that the server is unknown. */
function isUnanswered(error: unknown): boolean {
  const code = grpcStatus(error);
  return (
    code === undefined ||
    code === status.UNAVAILABLE ||
    code === status.DEADLINE_EXCEEDED ||
    code === status.CANCELLED
  );
}
