import { PatientTimer } from '@model-gateway/service-kit';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { type RedisNodes, redisNodes } from './redis-nodes.ts';

export interface RedisConnectionOptions {
  /** `redis://` or `rediss://`. Several, separated by commas: nodes of one cluster, which name the rest. */
  url: string;
  /** How long Redis may be silent while this process is able to listen; default 400. */
  commandTimeoutMs?: number | undefined;
  /** Called for errors of the connection, not of commands. The connection reconnects by itself. */
  onError?: ((error: Error) => void) | undefined;
}

export interface RedisConnection {
  readonly client: Redis | Cluster;
  readonly isCluster: boolean;
  readonly commandTimeoutMs: number;
  /** @returns true: usable within the time; else it goes on trying */
  whenReady(timeoutMs: number): Promise<boolean>;
  readonly nodes: RedisNodes;
  close(): void;
}

/**
 * Four periods of 100 ms, in each of which a CPU-limited Redis runs once. A request waits this long at most
 * for a dead Redis. Commands are not sent again: a second reply would only come after the first.
 */
export const COMMAND_TIMEOUT_MS = 400;
/**
 * Longer than the deadline of a command, because ioredis' timer also runs while this process is busy.
 * Commands do not wait for a connection that is being made.
 */
const CONNECT_TIMEOUT_MS = 3_000;
const BACKSTOP = 10;
/** How often a cluster is asked for its slots, and how long one node may take to answer. */
const SLOTS_REFRESH_MS = 1_000;
const MAX_RECONNECT_DELAY_MS = 1_000;

/**
 * Connects to Redis. While Redis is down, commands fail at once instead of being queued: a late decision is
 * useless, because memory has decided about the request by then.
 * @throws TypeError for an address that is not valid
 */
export function connectRedis(options: RedisConnectionOptions): RedisConnection {
  const urls = options.url.split(',').map((url) => parseRedisUrl(url.trim()));
  const [first] = urls;
  if (first === undefined) throw new TypeError('no Redis address');
  const isCluster = urls.length > 1;
  const commandTimeoutMs = options.commandTimeoutMs ?? COMMAND_TIMEOUT_MS;
  const common = {
    ...first.credentials,
    // Ends a handshake that is not answered, and frees what a silent connection holds. Every command has a
    // deadline of its own (deadline.ts, deadlines.ts).
    commandTimeout: commandTimeoutMs * BACKSTOP,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Nothing that RESP3 adds is needed, and some proxies refuse its HELLO in a way unknown to ioredis.
    protocol: 2,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // Commands of one event loop iteration are sent together anyway (redis-calls.ts). With auto-pipelining,
    // ioredis delays a command until all replies before it have arrived. Measured: half the throughput, four
    // times the 99th percentile, and slow replies delay calls whose own deadline has not started.
    enableAutoPipelining: false,
  } satisfies RedisOptions;
  const client = isCluster
    ? new Cluster(
        urls.map(({ host, port }) => ({ host, port })),
        {
          redisOptions: common,
          enableOfflineQueue: false,
          clusterRetryStrategy: reconnectDelayMs,
          maxRedirections: 3,
          retryDelayOnFailover: 20,
          retryDelayOnClusterDown: 20,
          retryDelayOnTryAgain: 20,
          // A lost master closes no connection and answers nothing, so nothing else shows a failover.
          slotsRefreshInterval: SLOTS_REFRESH_MS,
          slotsRefreshTimeout: SLOTS_REFRESH_MS,
          // Certificates name the nodes, so the names must not be replaced by addresses.
          ...(first.credentials.tls && { dnsLookup: (address, callback) => callback(null, address) }),
        },
      )
    : new Redis({
        ...common,
        host: first.host,
        port: first.port,
        db: first.database,
        retryStrategy: reconnectDelayMs,
      });
  // Without a listener ioredis writes to the console.
  client.on('error', (error: Error) => options.onError?.(error));
  return {
    client,
    isCluster,
    commandTimeoutMs,
    whenReady: (timeoutMs) => whenReady(client, timeoutMs),
    nodes: redisNodes(client),
    close: () => client.disconnect(),
  };
}

/** The delay doubles up to a second. The jitter keeps replicas from reconnecting all at once. */
function reconnectDelayMs(attempt: number): number {
  const delay = Math.min(MAX_RECONNECT_DELAY_MS, 25 * 2 ** Math.min(attempt, 10));
  return Math.round(delay * (0.5 + Math.random() / 2));
}

function whenReady(client: Redis | Cluster, timeoutMs: number): Promise<boolean> {
  if (client.status === 'ready') return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (isReady: boolean) => {
      patience.clear();
      client.off('ready', succeed);
      resolve(isReady);
    };
    const succeed = () => finish(true);
    const patience = new PatientTimer(timeoutMs, () => finish(false));
    client.once('ready', succeed);
  });
}

interface RedisAddress {
  host: string;
  port: number;
  database: number;
  credentials: { username?: string; password?: string; tls?: { servername: string } };
}

/** @throws TypeError without any part of the address, because it may contain a password */
function parseRedisUrl(text: string): RedisAddress {
  const url = URL.parse(text);
  if (url === null || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '')
    throw new TypeError('a Redis address must begin with redis:// or rediss:// and name a host');
  const database = url.pathname.slice(1);
  if (!/^\d*$/.test(database)) throw new TypeError('the path of a Redis address must be a database number');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(url.port || 6379),
    database: Number(database),
    credentials: {
      ...(url.username && { username: decodeURIComponent(url.username) }),
      ...(url.password && { password: decodeURIComponent(url.password) }),
      ...(url.protocol === 'rediss:' && { tls: { servername: host } }),
    },
  };
}
