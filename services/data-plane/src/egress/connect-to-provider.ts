import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { openTunnel, type ProxyChoice } from './proxy-tunnel.ts';

/**
 * TCP keep-alive starts after this idle time. With Node's fixed ten probes, a second apart, a dead provider
 * is noticed after 15 s instead of 70 s, and firewalls keep the connection.
 */
const PROBE_AFTER_MS = 5_000;

/**
 * TCP sends no keep-alive while data is unacknowledged, and retransmits for 15 minutes. HTTP/2 calls share a
 * connection, so that is common: such connections get HTTP/2 pings.
 */
const PING_EVERY_MS = 5_000;
/** Ping intervals without any received byte after which a connection is dead. */
const SILENT_INTERVALS = 3;

/** Options of undici's clients for HTTP/2 pings. */
export const HTTP2_OPTIONS = { h2Options: { pingInterval: PING_EVERY_MS } };

/** Creates a connector whose connections fail once the provider is gone, also those through a proxy. */
export function connectToProvider(timeoutMs: number, proxies: ProxyChoice): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER_MS,
  });
  return (options, callback) => {
    const connected: buildConnector.Callback = (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') endWhenSilent(socket);
      return callback(null, socket);
    };
    const proxy = proxies.proxyFor(options);
    if (proxy === undefined) return connect(options, connected);
    return openTunnel(proxy, options, timeoutMs).then(
      (httpSocket) =>
        options.protocol === 'https:'
          ? connect({ ...options, httpSocket }, connected)
          : connected(null, httpSocket),
      (error: Error) => connected(error, null),
    );
  };
}

function endWhenSilent(socket: Socket): void {
  let heardBytes = socket.bytesRead;
  let silentIntervals = 0;
  // A busy process misses checks instead of running them late, and reads its sockets first.
  const checks = setInterval(() => {
    const { bytesRead } = socket;
    silentIntervals = bytesRead === heardBytes ? silentIntervals + 1 : 0;
    heardBytes = bytesRead;
    if (silentIntervals >= SILENT_INTERVALS)
      socket.destroy(new Error('the provider no longer answers pings'));
  }, PING_EVERY_MS).unref();
  socket.once('close', () => clearInterval(checks));
}
