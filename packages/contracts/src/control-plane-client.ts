import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { listeningMs, type Patience, PatientTimer, type StopSignal } from '@model-gateway/service-kit';
import { withTrace } from './call-trace.ts';
import { type ControlPlaneStubs, connect } from './control-plane-stubs.ts';
import { callerMetadata, type TlsFiles } from './credentials.ts';
import type { SignedInUser__Output as SignedInUserMessage } from './generated/gateway/v1/SignedInUser.ts';
import { grpcStatus } from './grpc-status.ts';
import { type Reply, ServerProof, type ServerProofOptions } from './server-proof.ts';
import {
  type AnswerOf,
  type AskOf,
  type MethodOf,
  type ServiceName,
  type UnaryCall,
  unaryCall,
} from './unary-calls.ts';

/** Silence after which the call goes to the next address, if there is one. */
const FAILOVER_MS = 1_000;
/** gRPC deadline that frees the control plane when this process is gone; callers give up long before. */
const BACKSTOP_MS = 300_000;

export interface ControlPlaneClientOptions {
  addresses: readonly string[];
  token: string;
  tls: TlsFiles;
  /**
   * With ADMIN_TOKEN: the server proves itself before each call, and the token is never sent; no streams.
   * Otherwise every call carries the token.
   */
  proof?: ServerProofOptions;
}

/**
 * Calls the control plane at the current address. When that is unreachable, the call goes to the next
 * address, within its deadline.
 */
export class ControlPlaneClient {
  readonly metadata: Metadata;
  readonly #addresses: readonly string[];
  readonly #stubs: readonly ControlPlaneStubs[];
  readonly #proof: ServerProof | undefined;
  #current = 0;

  constructor({ addresses, token, tls, proof }: ControlPlaneClientOptions) {
    this.metadata = proof === undefined ? callerMetadata(token) : new Metadata();
    this.#addresses = addresses;
    this.#stubs = addresses.map((address) => connect(address, tls));
    this.#proof = proof === undefined ? undefined : new ServerProof(token, proof);
  }

  get size(): number {
    return this.#stubs.length;
  }

  /** Stubs of the current address, for streams (`ReopeningStream`). */
  get stubs(): ControlPlaneStubs {
    const stubs = this.#stubs[this.#current];
    if (stubs === undefined) throw new Error('no control plane address');
    return stubs;
  }

  /** Connects now, so that the first call need not wait. */
  connect(): void {
    this.stubs.accounts.getChannel().getConnectivityState(true);
  }

  /** Moves to the next address, unless another call has left `failed` already. */
  moveOn(failed: ControlPlaneStubs): void {
    if (this.stubs === failed) this.#current = (this.#current + 1) % this.#stubs.length;
  }

  /**
   * Makes a unary call that may safely run twice: without a reply it goes to the next address.
   * @param patience for all addresses together, by a clock that stops while this process is stalled
   * @param signal cancels the call in the control plane
   * @param user signed-in user who makes the change
   * @throws the ServiceError of the last address; the signal's reason
   */
  call<Service extends ServiceName, Method extends MethodOf<Service>>(
    patience: number | Patience,
    service: Service,
    method: Method,
    ask: AskOf<Service, Method>,
    signal?: StopSignal | undefined,
    user?: SignedInUserMessage,
  ): Promise<AnswerOf<Service, Method>> {
    return this.#call(patience, unaryCall(service, method, ask, user), isUnanswered, signal);
  }

  /**
   * Makes a unary call that must not run twice: it moves on only when it certainly did not leave this
   * process.
   * @param user signed-in user who makes the change
   * @throws the ServiceError of the last address
   */
  callOnce<Service extends ServiceName, Method extends MethodOf<Service>>(
    patience: number | Patience,
    service: Service,
    method: Method,
    ask: AskOf<Service, Method>,
    user?: SignedInUserMessage,
  ): Promise<AnswerOf<Service, Method>> {
    return this.#call(patience, unaryCall(service, method, ask, user), neverConnected);
  }

  async #call<Response>(
    patience: number | Patience,
    call: UnaryCall<Response>,
    mayMoveOn: (error: unknown) => boolean,
    signal?: StopSignal,
  ): Promise<Response> {
    const startedAtMs = listeningMs();
    for (let attempt = 1; ; attempt++) {
      const stubs = this.stubs;
      const left = reduceBy(patience, listeningMs() - startedAtMs);
      const isLast = attempt >= this.size || mayMoveOn !== isUnanswered;
      try {
        return await this.#attempt(isLast ? left : failover(left), stubs, call, signal);
      } catch (error) {
        signal?.throwIfAborted();
        // A frozen control plane must not delay the next calls.
        if (grpcStatus(error) === status.DEADLINE_EXCEEDED) this.moveOn(stubs);
        if (attempt >= this.size || !mayMoveOn(error)) throw error;
        this.moveOn(stubs);
      }
    }
  }

  async #attempt<Response>(
    patience: number | Patience,
    stubs: ControlPlaneStubs,
    call: UnaryCall<Response>,
    signal: StopSignal | undefined,
  ): Promise<Response> {
    if (this.#proof === undefined)
      return (await send(patience, stubs, call, withTrace(this.metadata), signal)).response;
    const startedAtMs = listeningMs();
    const address = this.#addresses[this.#stubs.indexOf(stubs)] ?? '';
    const metadata = await this.#proof.metadataFor(
      { path: call.path, body: call.serialize() },
      address,
      (nonce) => send(patience, stubs, unaryCall('admin', 'proveServer', { nonce }), new Metadata(), signal),
    );
    const left = reduceBy(patience, listeningMs() - startedAtMs);
    return (await send(left, stubs, call, metadata, signal)).response;
  }

  close(): void {
    for (const stubs of this.#stubs) {
      for (const client of Object.values(stubs)) client.close();
    }
  }
}

/**
 * Sends a call and waits for its reply. The wait is no gRPC deadline, which would also run out while this
 * process or the control plane is stalled.
 */
async function send<Response>(
  patience: number | Patience,
  stubs: ControlPlaneStubs,
  { start }: UnaryCall<Response>,
  metadata: Metadata,
  signal: StopSignal | undefined,
): Promise<Reply<Response>> {
  signal?.throwIfAborted();
  return new Promise<Reply<Response>>((resolve, reject) => {
    const deadline = Date.now() + BACKSTOP_MS;
    const call = start(stubs, metadata, { deadline }, (error, response) => {
      timer.clear();
      signal?.removeEventListener('abort', cancel);
      if (error !== null) reject(error);
      else if (response === undefined) reject(new Error('the control plane sent no message'));
      else resolve({ response, peer: call.getPeer() });
    });
    const timer = new PatientTimer(patience, () => {
      reject(noAnswer());
      call.cancel();
    });
    const cancel = () => call.cancel();
    signal?.addEventListener('abort', cancel);
  });
}

/** Returns true when there was no reply: the outcome is unknown, and another address may reply. */
function isUnreachable(error: unknown): boolean {
  return grpcStatus(error) === status.UNAVAILABLE;
}

function isUnanswered(error: unknown): boolean {
  return isUnreachable(error) || grpcStatus(error) === status.DEADLINE_EXCEEDED;
}

function reduceBy(patience: number | Patience, ms: number): number | Patience {
  if (typeof patience === 'number') return Math.max(0, patience - ms);
  const { quietMs, mostMs, isHeard } = patience;
  return { quietMs: Math.max(0, quietMs - ms), mostMs: Math.max(0, mostMs - ms), isHeard };
}

function failover(patience: number | Patience): number | Patience {
  if (typeof patience === 'number') return Math.min(patience, FAILOVER_MS);
  return { ...patience, quietMs: Math.min(patience.quietMs, FAILOVER_MS) };
}

function noAnswer(): ServiceError {
  const details = 'no answer in time';
  return Object.assign(new Error(`${status.DEADLINE_EXCEEDED} DEADLINE_EXCEEDED: ${details}`), {
    code: status.DEADLINE_EXCEEDED,
    details,
    metadata: new Metadata(),
  });
}

/** Returns true when there never was a connection. Only this text tells it from a lost one in grpc-js. */
function neverConnected(error: unknown): boolean {
  return (
    isUnreachable(error) && error instanceof Error && error.message.includes('No connection established')
  );
}
