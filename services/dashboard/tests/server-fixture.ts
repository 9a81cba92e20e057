import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { createLogger } from '@model-gateway/service-kit';
import { startGateway, type TestGateway } from '@model-gateway/test-kit/start-gateway';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { afterAll, beforeAll } from 'vitest';
import { parseDashboardConfig, type RunningDashboard, startDashboard } from '../src/index.ts';
import { errorResponse } from '../wire/error.ts';
import { type CreateKeyResponse, createKeyResponse } from '../wire/keys.ts';
import { acceptInvitationResponse, addSeatResponse, type Team, team } from '../wire/teams.ts';

export const PUBLIC_URL = 'http://localhost:8090';
export const PASSWORD = 'correct horse battery staple';

export interface ServerOptions {
  databaseUrl: string;
  /** Ports of control planes. Default: a port without one. */
  controlPlanePorts?: readonly number[];
  settings?: Record<string, string>;
}

export interface Server extends RunningDashboard {
  url: string;
  logText(): string;
  readiness(): Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts the dashboard's server with a site of a few lines. */
export async function startServer({
  databaseUrl,
  controlPlanePorts = [9],
  settings = {},
}: ServerOptions): Promise<Server> {
  const assetsDir = await mkdtemp(join(tmpdir(), 'model-gateway-site-'));
  await mkdir(join(assetsDir, 'assets'));
  await writeFile(
    join(assetsDir, 'index.html'),
    '<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__"><style nonce="__CSP_NONCE__"></style>Site',
  );
  const script = `export const text = '${'a'.repeat(4_000)}';\n`;
  const scriptFile = join(assetsDir, 'assets', 'index-abc123.js');
  await writeFile(scriptFile, script);
  await writeFile(`${scriptFile}.br`, brotliCompressSync(script));
  await writeFile(join(assetsDir, 'colour-scheme.js'), 'document.title;\n');
  const lines: string[] = [];
  const dashboard = await startDashboard(
    parseDashboardConfig({
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      CONTROL_PLANE_ADDRESS: controlPlanePorts.map((port) => `127.0.0.1:${port}`).join(','),
      DATABASE_URL: databaseUrl,
      PUBLIC_URL,
      // Lets each browser choose its client address.
      TRUST_PROXY: '1',
      ...TEST_SECRETS,
      ...settings,
    }),
    {
      assetsDir,
      log: createLogger({
        service: 'dashboard',
        level: 'debug',
        destination: { write: (line) => void lines.push(line) },
      }),
    },
  );
  const close = async () => {
    await dashboard.close();
    await rm(assetsDir, { recursive: true, force: true });
  };
  return {
    ...dashboard,
    close,
    url: `http://127.0.0.1:${dashboard.port}`,
    logText: () => lines.join(''),
    readiness: () => fetch(`http://127.0.0.1:${dashboard.internalPort}/health/ready`),
    [Symbol.asyncDispose]: close,
  };
}

/** Starts the dashboard's server in front of a gateway. */
export function startServerOf(gateway: TestGateway, settings: Record<string, string> = {}): Promise<Server> {
  const controlPlanePorts = gateway.controlPlanes.map(({ grpcPort }) => grpcPort);
  return startServer({ databaseUrl: gateway.databaseUrl, controlPlanePorts, settings });
}

/** Starts a gateway and the dashboard's server for the tests of a file. Use the result only within tests. */
export function withServer(
  options: Parameters<typeof startGateway>[0] = {},
  settingsOf: (gateway: TestGateway) => Record<string, string> = () => ({}),
): { gateway: TestGateway; server: Server } {
  const site: Partial<{ gateway: TestGateway; server: Server }> = {};
  beforeAll(async () => {
    site.gateway = await startGateway(options);
    site.server = await startServerOf(site.gateway, settingsOf(site.gateway));
  });
  afterAll(async () => {
    await site.server?.close();
    await site.gateway?.close();
  });
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('the server has not been started yet');
    return part;
  };
  return {
    get gateway() {
      return started(site.gateway);
    },
    get server() {
      return started(site.server);
    },
  };
}

export interface Call {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A browser with cookies; it sends its origin as browsers do, and follows no redirect. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;
  readonly #origin: string;
  readonly #address: string;

  constructor({ url }: { url: string }, { origin = PUBLIC_URL, address = newClientAddress() } = {}) {
    this.#url = url;
    this.#origin = origin;
    this.#address = address;
  }

  async fetch(path: string, { method, body, headers = {}, signal }: Call = {}): Promise<Response> {
    const response = await fetch(`${this.#url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        'x-forwarded-for': this.#address,
        ...(method === 'POST' || body !== undefined ? { origin: this.#origin } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
      ...(signal === undefined ? {} : { signal }),
    });
    this.storeCookies(response);
    return response;
  }

  /** Stores the cookies of a response. */
  storeCookies(response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const at = pair.indexOf('=');
      if (attributes.some((attribute) => /^max-age=0$/i.test(attribute)))
        this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }

  post(path: string, body: unknown = {}): Promise<Response> {
    return this.fetch(path, { method: 'POST', body });
  }

  signUp(email: string, password = PASSWORD): Promise<Response> {
    return this.post('/api/auth/sign-up/email', { name: 'Test', email, password });
  }

  signIn(email: string, password = PASSWORD): Promise<Response> {
    return this.post('/api/auth/sign-in/email', { email, password });
  }

  /** @throws for an error status */
  async json(path: string, call: Call = {}): Promise<unknown> {
    const response = await this.fetch(path, call);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  }
}

function newClientAddress(): string {
  return `10.${[...randomBytes(3)].join('.')}`;
}

export function newAddress(): string {
  return `${randomBytes(8).toString('hex')}@example.com`;
}

export async function signedUp(server: Pick<Server, 'url'>, email = newAddress()): Promise<Browser> {
  const browser = new Browser(server);
  const response = await browser.signUp(email);
  if (!response.ok) throw new Error(`sign-up: ${response.status} ${await response.text()}`);
  return browser;
}

/** Returns status and code of an error response, to compare both at once. */
export async function refusal(response: Response): Promise<[number, string]> {
  return [response.status, errorResponse.parse(await response.json()).error.code];
}

/** Creates a key. @param seatId left out: the account pays */
export async function createKey(browser: Browser, name: string, seatId?: string): Promise<CreateKeyResponse> {
  return createKeyResponse.parse(await browser.json('/api/keys', { body: { name, seatId } }));
}

export async function createTeam(browser: Browser, name: string): Promise<Team> {
  return team.parse(await browser.json('/api/teams', { body: { name } }));
}

/** Invites an address to a seat. @returns the token of the link */
export async function invite(owner: Browser, teamId: string, email: string): Promise<string> {
  const response = await owner.json(`/api/teams/${teamId}/seats`, { body: { email } });
  return tokenOf(addSeatResponse.parse(response).invitation?.link ?? '');
}

/** Gives a seat to somebody else, who accepts it by its link. @returns its id */
export async function giveSeat(
  owner: Browser,
  teamId: string,
  { member, email }: { member: Browser; email: string },
): Promise<string> {
  const token = await invite(owner, teamId, email);
  return acceptInvitationResponse.parse(await member.json('/api/invitations/accept', { body: { token } }))
    .seatId;
}

export function tokenOf(link: string): string {
  return new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? '';
}
