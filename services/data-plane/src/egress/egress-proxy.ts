import { Agent, type Dispatcher } from 'undici';
import { connectToProvider } from './connect-to-provider.ts';
import type { IsDirect } from './no-proxy.ts';
import { type Destination, type ProxyChoice, portOf } from './proxy-tunnel.ts';

export interface EgressSettings {
  /** Proxy of https: and of http: providers; undefined: none. */
  httpsProxy: URL | undefined;
  httpProxy: URL | undefined;
  isDirect: IsDirect;
}

const DIRECT: EgressSettings = { httpsProxy: undefined, httpProxy: undefined, isDirect: () => true };
const TOKEN_CONNECT_MS = 10_000;

/**
 * Decides which connections go through a proxy, by CONNECT. Only for providers and the servers that issue
 * their credentials: the gateway's own services are always reached directly.
 */
export class EgressProxy implements ProxyChoice {
  readonly #settings: EgressSettings;
  #agent: Agent | undefined;

  constructor(settings = DIRECT) {
    this.#settings = settings;
  }

  /** Returns the proxy to use; undefined: none. */
  proxyFor({ hostname, port, protocol }: Destination): URL | undefined {
    const { httpProxy, httpsProxy, isDirect } = this.#settings;
    const proxy = protocol === 'https:' ? httpsProxy : httpProxy;
    if (proxy === undefined) return undefined;
    return isDirect(hostOf(hostname), portOf({ port, protocol })) ? undefined : proxy;
  }

  /** Returns the client for requests for tokens. */
  get dispatcher(): Dispatcher {
    this.#agent ??= new Agent({ connect: connectToProvider(TOKEN_CONNECT_MS, this) });
    return this.#agent;
  }

  async close(): Promise<void> {
    await this.#agent?.destroy();
  }
}

function hostOf(hostname: string): string {
  return hostname
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}
