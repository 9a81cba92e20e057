import {
  type CallOptions,
  type ChannelOptions,
  type ClientUnaryCall,
  type Metadata,
  type requestCallback,
  status,
} from '@grpc/grpc-js';
import { callerMetadata, channelCredentials, type TlsFiles } from './credentials.ts';
import type { AccountServiceClient } from './generated/gateway/v1/AccountService.ts';
import type { AdminServiceClient } from './generated/gateway/v1/AdminService.ts';
import type { BillingServiceClient } from './generated/gateway/v1/BillingService.ts';
import type { CatalogServiceClient } from './generated/gateway/v1/CatalogService.ts';
import type { DashboardServiceClient } from './generated/gateway/v1/DashboardService.ts';
import type { KeyServiceClient } from './generated/gateway/v1/KeyService.ts';
import type { PoolServiceClient } from './generated/gateway/v1/PoolService.ts';
import type { TeamServiceClient } from './generated/gateway/v1/TeamService.ts';
import { gatewayProto } from './proto.ts';

/** A lost control plane is noticed and found again in about a second, not in gRPC's default two minutes. */
const CHANNEL_OPTIONS: ChannelOptions = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 2_000,
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
  // Each client talks over its own connection: one process' planes must not share a fate.
  'grpc.use_local_subchannel_pool': 1,
};

/** The typed stubs of one control plane; all share one connection. */
export interface ControlPlaneStubs {
  accounts: AccountServiceClient;
  admin: AdminServiceClient;
  billing: BillingServiceClient;
  catalog: CatalogServiceClient;
  dashboard: DashboardServiceClient;
  keys: KeyServiceClient;
  pools: PoolServiceClient;
  teams: TeamServiceClient;
}

/** Starts a unary call on the stubs of one address. */
type Invoke<Response> = (
  stubs: ControlPlaneStubs,
  metadata: Metadata,
  options: CallOptions,
  callback: requestCallback<Response>,
) => ClientUnaryCall;

export interface ControlPlaneClientOptions {
  /** `host:port` of every control plane. */
  addresses: readonly string[];
  /** INTERNAL_TOKEN or ADMIN_TOKEN. */
  token: string;
  tls: TlsFiles;
}

/**
 * Speaks to whichever control plane answers. One address is current; a call that finds it unreachable moves
 * on to the next, within the call's deadline.
 */
export class ControlPlaneClient {
  readonly metadata: Metadata;
  readonly #stubs: readonly ControlPlaneStubs[];
  #current = 0;

  constructor({ addresses, token, tls }: ControlPlaneClientOptions) {
    this.metadata = callerMetadata(token);
    this.#stubs = addresses.map((address) => connect(address, tls));
  }

  /** Number of addresses. */
  get size(): number {
    return this.#stubs.length;
  }

  /** The stubs of the current address, for streams, which their owner reopens after `moveOn`. */
  get stubs(): ControlPlaneStubs {
    const stubs = this.#stubs[this.#current];
    if (stubs === undefined) throw new Error('no control plane address');
    return stubs;
  }

  /** Makes the next address current, unless another call has already left `failed`. */
  moveOn(failed: ControlPlaneStubs): void {
    if (this.stubs === failed) this.#current = (this.#current + 1) % this.#stubs.length;
  }

  /**
   * One unary call that may run twice without harm: it is sent to the next address when one goes silent over it.
   * @param signal cancels the call, so that the control plane stops working on it
   * @throws the gRPC ServiceError of the last address tried; the signal's reason
   */
  call<Response>(
    deadlineMs: number,
    invoke: Invoke<Response>,
    signal?: AbortSignal | undefined,
  ): Promise<Response> {
    return this.#call(deadlineMs, invoke, isUnreachable, signal);
  }

  /**
   * One unary call that must not run twice, such as one that creates something: it is sent to the next address only
   * when it cannot have left us.
   * @throws the gRPC ServiceError of the last address tried
   */
  callOnce<Response>(deadlineMs: number, invoke: Invoke<Response>): Promise<Response> {
    return this.#call(deadlineMs, invoke, neverConnected);
  }

  async #call<Response>(
    deadlineMs: number,
    invoke: Invoke<Response>,
    mayMoveOn: (error: unknown) => boolean,
    signal?: AbortSignal,
  ): Promise<Response> {
    const deadline = Date.now() + deadlineMs;
    for (let attempt = 1; ; attempt++) {
      const stubs = this.stubs;
      try {
        return await answerOf<Response>(
          (callback) => invoke(stubs, this.metadata, { deadline }, callback),
          signal,
        );
      } catch (error) {
        signal?.throwIfAborted();
        // One that is frozen must not hold up the next calls, too.
        if (grpcStatus(error) === status.DEADLINE_EXCEEDED) this.moveOn(stubs);
        if (attempt >= this.size || !mayMoveOn(error)) throw error;
        this.moveOn(stubs);
      }
    }
  }

  close(): void {
    for (const stubs of this.#stubs) {
      for (const client of Object.values(stubs)) client.close();
    }
  }
}

function answerOf<Response>(
  start: (callback: requestCallback<Response>) => ClientUnaryCall,
  signal: AbortSignal | undefined,
): Promise<Response> {
  signal?.throwIfAborted();
  return new Promise<Response>((resolve, reject) => {
    const call = start((error, response) => {
      signal?.removeEventListener('abort', cancel);
      if (error !== null) reject(error);
      else if (response === undefined) reject(new Error('the control plane sent no message'));
      else resolve(response);
    });
    const cancel = () => call.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

/** The address did not answer at all: nothing is known about the call's effect there, and another may answer. */
export function isUnreachable(error: unknown): boolean {
  return grpcStatus(error) === status.UNAVAILABLE;
}

/** grpc-js tells a call that found no connection from one that lost its connection by these words alone. */
function neverConnected(error: unknown): boolean {
  return (
    isUnreachable(error) && error instanceof Error && error.message.includes('No connection established')
  );
}

/** The gRPC status code of an error of ours; undefined for any other error. */
export function grpcStatus(error: unknown): status | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}

function connect(address: string, tls: TlsFiles): ControlPlaneStubs {
  const accounts = new gatewayProto.AccountService(address, channelCredentials(tls), CHANNEL_OPTIONS);
  const shared: ChannelOptions & { channelOverride: ReturnType<typeof accounts.getChannel> } = {
    channelOverride: accounts.getChannel(),
  };
  const credentials = channelCredentials(tls);
  return {
    accounts,
    admin: new gatewayProto.AdminService(address, credentials, shared),
    billing: new gatewayProto.BillingService(address, credentials, shared),
    catalog: new gatewayProto.CatalogService(address, credentials, shared),
    dashboard: new gatewayProto.DashboardService(address, credentials, shared),
    keys: new gatewayProto.KeyService(address, credentials, shared),
    pools: new gatewayProto.PoolService(address, credentials, shared),
    teams: new gatewayProto.TeamService(address, credentials, shared),
  };
}
