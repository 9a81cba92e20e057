import { type Metadata, status } from '@grpc/grpc-js';
import { AdminProof, newNonce } from './admin-proof.ts';
import { callerMetadata, proofMetadata } from './credentials.ts';
import type { ProveServerResponse__Output as ProveServerResponse } from './generated/gateway/v1/ProveServerResponse.ts';
import { grpcStatus } from './grpc-status.ts';

/** A server that calls go to. */
export interface KnownServer {
  /** `host:port` as it was asked for. */
  address: string;
  /** The IP address and port of the connection: a name may stand for several. */
  peer: string;
  /** Which database it has; undefined when it was trusted without a proof. */
  installation: string | undefined;
}

export interface ServerProofOptions {
  /**
   * True: a server that does not know how to prove itself, as releases before this one do not, is sent the
   * token. One that tries and fails never is.
   */
  trustsOlder?: boolean;
  /** Hears of the server before each call to it. */
  onServer?: ((server: KnownServer) => void) | undefined;
}

/** How the server was asked, and what it said. */
export interface ProofAnswer {
  response: ProveServerResponse;
  peer: string;
}

/**
 * A server did not prove that it has the token, and was sent neither the token nor the call.
 */
export class UnprovenServerError extends Error {
  override readonly name = 'UnprovenServerError';
  readonly code = status.UNAUTHENTICATED;
  readonly address: string;
  /** `other_token`: its proof is wrong. `no_proof`: it gave none, as a server of another kind or release. */
  readonly reason: 'other_token' | 'no_proof';

  constructor(address: string, reason: 'other_token' | 'no_proof', options: ErrorOptions = {}) {
    super(`${address} has not proved that it has the token (${reason})`, options);
    this.address = address;
    this.reason = reason;
  }
}

/** Lets a server prove itself before each call, and makes what the caller sends in place of the token. */
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
   * Makes the metadata for one call.
   * @param path the method that will be called: `/gateway.v1.AdminService/GetStatus`
   * @param ask calls ProveServer, without a token
   * @throws UnprovenServerError
   * @throws the error of `ask` when nobody has answered
   */
  async metadataFor(
    path: string,
    address: string,
    ask: (nonce: Buffer) => Promise<ProofAnswer>,
  ): Promise<Metadata> {
    const nonce = newNonce();
    const answer = await ask(nonce).catch((error: unknown) => {
      if (isUnanswered(error)) throw error;
      // The older release says that it has no such method.
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

/** Whether nobody has answered, so that it is not known who is there. */
function isUnanswered(error: unknown): boolean {
  const code = grpcStatus(error);
  return (
    code === undefined ||
    code === status.UNAVAILABLE ||
    code === status.DEADLINE_EXCEEDED ||
    code === status.CANCELLED
  );
}
