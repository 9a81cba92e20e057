import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { listeningMs, type Patience, PatientTimer, type StopSignal } from '@model-gateway/service-kit';
import { type ControlPlaneStubs, connect } from './control-plane-stubs.ts';
import { callerMetadata, type TlsFiles } from './credentials.ts';
import type { SignedInUser__Output as SignedInUserMessage } from './generated/gateway/v1/SignedInUser.ts';
import { grpcStatus } from './grpc-status.ts';
import { ServerProof, type ServerProofOptions } from './server-proof.ts';
import {
  type AnswerOf,
  type AskOf,
  type MethodOf,
  type ServiceName,
  type UnaryCall,
  unaryCall,
} from './unary-calls.ts';

/** When an address says nothing for this long, the call goes to the next one, as long as there is one. */
const FAILOVER_MS = 1_000;
/**
 * The gRPC deadline of every call. It only frees what the call holds at the control plane when this process
 * is gone. Whoever waits for the answer gives up long before.
 */
const BACKSTOP_MS = 300_000;

export interface ControlPlaneClientOptions {
  /** `host:port` of every control plane. */
  addresses: readonly string[];
  /** INTERNAL_TOKEN or ADMIN_TOKEN. */
  token: string;
  tls: TlsFiles;
  /**
   * With ADMIN_TOKEN: before each call the server proves that it has the token, which itself is never sent.
   * Such a client has no streams. Without it, the token goes with every call to whoever answers.
   */
  proof?: ServerProofOptions;
}

interface Answered<Response> {
  response: Response;
  /** The IP address and port of the connection. */
  peer: string;
}

/**
 * Talks to whichever control plane answers. One address is the current one. A call that cannot reach it moves
 * on to the next, within the call's deadline.
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

  /** The number of addresses. */
  get size(): number {
    return this.#stubs.length;
  }

  /** The stubs of the current address, for streams (see `ReopeningStream`). */
  get stubs(): ControlPlaneStubs {
    const stubs = this.#stubs[this.#current];
    if (stubs === undefined) throw new Error('no control plane address');
    return stubs;
  }

  /** Connects to the current address now, so that the first call need not wait for that. */
  connect(): void {
    this.stubs.accounts.getChannel().getConnectivityState(true);
  }

  /** Makes the next address current, unless another call has already left `failed`. */
  moveOn(failed: ControlPlaneStubs): void {
    if (this.stubs === failed) this.#current = (this.#current + 1) % this.#stubs.length;
  }

  /**
   * Makes a unary call that may run twice without harm: when one address does not answer, it is sent to the
   * next.
   * @param patience how long to wait, for all addresses together, by the clock that stands still while this
   *   process is busy
   * @param signal cancels the call, so that the control plane stops working on it
   * @param user who is signed in to the dashboard and makes the change
   * @throws the gRPC ServiceError of the last address tried; the signal's reason
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
   * Makes a unary call that must not run twice, such as one that creates something. It is sent to the next
   * address only when it certainly did not leave this process.
   * @param user who is signed in to the dashboard and makes the change
   * @throws the gRPC ServiceError of the last address tried
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
      const left = lessBy(patience, listeningMs() - startedAtMs);
      const isLast = attempt >= this.size || mayMoveOn !== isUnanswered;
      try {
        return await this.#attempt(isLast ? left : failover(left), stubs, call, signal);
      } catch (error) {
        signal?.throwIfAborted();
        // A frozen control plane must not hold up the next calls as well.
        if (grpcStatus(error) === status.DEADLINE_EXCEEDED) this.moveOn(stubs);
        if (attempt >= this.size || !mayMoveOn(error)) throw error;
        this.moveOn(stubs);
      }
    }
  }

  /** Tries one address. @throws UnprovenServerError */
  async #attempt<Response>(
    patience: number | Patience,
    stubs: ControlPlaneStubs,
    call: UnaryCall<Response>,
    signal: StopSignal | undefined,
  ): Promise<Response> {
    if (this.#proof === undefined) {
      return (await send(patience, stubs, call, this.metadata, signal)).response;
    }
    const startedAtMs = listeningMs();
    const address = this.#addresses[this.#stubs.indexOf(stubs)] ?? '';
    const metadata = await this.#proof.metadataFor(call.path, address, (nonce) =>
      send(patience, stubs, unaryCall('admin', 'proveServer', { nonce }), new Metadata(), signal),
    );
    const left = lessBy(patience, listeningMs() - startedAtMs);
    return (await send(left, stubs, call, metadata, signal)).response;
  }

  close(): void {
    for (const stubs of this.#stubs) {
      for (const client of Object.values(stubs)) client.close();
    }
  }
}

/**
 * Makes one call. The wait has no gRPC deadline, because that would also run out while the answer lies unread
 * in this process, or the call unread in the control plane.
 */
async function send<Response>(
  patience: number | Patience,
  stubs: ControlPlaneStubs,
  { start }: UnaryCall<Response>,
  metadata: Metadata,
  signal: StopSignal | undefined,
): Promise<Answered<Response>> {
  signal?.throwIfAborted();
  return new Promise<Answered<Response>>((resolve, reject) => {
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

/**
 * Whether the address did not answer at all. Then nobody knows what the call has done there, and another
 * address may answer.
 */
function isUnreachable(error: unknown): boolean {
  return grpcStatus(error) === status.UNAVAILABLE;
}

function isUnanswered(error: unknown): boolean {
  return isUnreachable(error) || grpcStatus(error) === status.DEADLINE_EXCEEDED;
}

function lessBy(patience: number | Patience, ms: number): number | Patience {
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

/**
 * Whether the call found no connection. grpc-js shows the difference to a call that lost its connection in
 * these words only.
 */
function neverConnected(error: unknown): boolean {
  return (
    isUnreachable(error) && error instanceof Error && error.message.includes('No connection established')
  );
}
