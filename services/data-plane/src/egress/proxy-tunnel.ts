import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { proxyFailed } from '@model-gateway/dialects';

/** TCP keep-alive, as for connections without a proxy. */
const PROBE_AFTER_MS = 5_000;

export interface Destination {
  /** `https:` or `http:` */
  protocol: string;
  hostname: string;
  /** Left out or empty: the protocol's default. */
  port?: string | null | undefined;
}

export interface ProxyChoice {
  /** Returns the proxy to a destination; undefined: none. */
  proxyFor(destination: Destination): URL | undefined;
}

export function portOf({ port, protocol }: Pick<Destination, 'port' | 'protocol'>): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/**
 * Opens a tunnel through an HTTP proxy (RFC 9110, section 9.3.6).
 * @param proxy may hold a user name and a password, which are sent to the proxy only
 * @throws GatewayError 502 or 504 that names the proxy, without its password
 */
export function openTunnel(proxy: URL, destination: Destination, timeoutMs: number): Promise<Socket> {
  const { promise, reject, resolve } = Promise.withResolvers<Socket>();
  const request = connectRequest(proxy, `${destination.hostname}:${portOf(destination)}`);
  const timer = setTimeout(() => {
    reject(
      proxyFailed(`the proxy ${proxy.host} opened no tunnel within ${timeoutMs} ms`, { timedOut: true }),
    );
    request.destroy();
  }, timeoutMs);
  request.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    if (statusCode !== 200) {
      socket.destroy();
      return reject(proxyFailed(`the proxy ${proxy.host} refused the connection with status ${statusCode}`));
    }
    // Nobody speaks before the client in HTTP or TLS, and undici would connect again and again.
    if (head.length > 0) {
      socket.destroy();
      return reject(proxyFailed(`the proxy ${proxy.host} sent data before the request`));
    }
    socket.setKeepAlive(true, PROBE_AFTER_MS);
    return resolve(socket);
  });
  // The proxy does not support CONNECT.
  request.once('response', (response) => {
    response.destroy();
    reject(proxyFailed(`the proxy ${proxy.host} answered CONNECT with status ${response.statusCode}`));
  });
  request.once('error', (error) =>
    reject(proxyFailed(`the proxy ${proxy.host} could not be reached: ${reasonOf(error)}`)),
  );
  request.end();
  return promise.finally(() => clearTimeout(timer));
}

function connectRequest(proxy: URL, authority: string): ClientRequest {
  const { hostname, password, protocol, username } = proxy;
  const isSecure = protocol === 'https:';
  const host = hostname.replace(/^\[(.+)\]$/, '$1');
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return (isSecure ? requestHttps : requestHttp)({
    method: 'CONNECT',
    host,
    // Else Node would check the proxy's certificate for the name in the Host header.
    ...(isSecure && { servername: isIP(host) === 0 ? host : '' }),
    port: portOf(proxy),
    path: authority,
    agent: false,
    headers: {
      host: authority,
      ...(username === ''
        ? {}
        : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
  });
}

function reasonOf(error: Error): string {
  return 'code' in error && error.code === 'ECONNREFUSED' ? 'connection refused' : error.message;
}
