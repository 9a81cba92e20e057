import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createLogger, listen } from '@model-gateway/service-kit';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { z } from 'zod';
import { parseCatalogConfig, type RunningCatalog, startCatalog } from '../src/index.ts';

/** The secret by which the services of the test kit know each other. */
export const { INTERNAL_TOKEN } = TEST_SECRETS;

const logLine = z.looseObject({ msg: z.string(), request_id: z.string().optional() });

export interface LoneCatalog extends RunningCatalog {
  baseUrl: string;
  readiness(): Promise<Response>;
  /** Returns the access line of a request; undefined until it is written. */
  accessLine(requestId: string | null): Record<string, unknown> | undefined;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the catalog service alone.
 * @param controlPlanePort a port where a control plane may start later, or never does
 */
export async function startLoneCatalog(controlPlanePort = 9): Promise<LoneCatalog> {
  const lines: string[] = [];
  const catalog = await startCatalog(
    parseCatalogConfig({
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      CONTROL_PLANE_ADDRESS: `127.0.0.1:${controlPlanePort}`,
      INTERNAL_TOKEN,
    }),
    {
      log: createLogger({
        service: 'catalog',
        level: 'info',
        destination: { write: (line) => void lines.push(line) },
      }),
      anonymousReadsPerMinute: 1_000_000,
    },
  );
  return {
    ...catalog,
    baseUrl: `http://127.0.0.1:${catalog.port}`,
    readiness: () => fetch(`http://127.0.0.1:${catalog.internalPort}/health/ready`),
    accessLine: (requestId) =>
      lines
        .map((line) => logLine.parse(JSON.parse(line)))
        .find(({ msg, request_id }) => msg === 'request' && request_id === requestId),
    [Symbol.asyncDispose]: () => catalog.close(),
  };
}

export interface Relay {
  port: number;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Forwards TCP connections to another local port, so that a service can appear at an address that was chosen
 * before.
 */
export async function startRelay(targetPort: number, port = 0): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => [near, far].map((either) => either.destroy()));
    }
    near.pipe(far).pipe(near);
  });
  return {
    port: await listenTcp(server, port),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export interface Recorder {
  url: string;
  /** The heads of the requests that went through, in order. */
  seen: { path: string; headers: IncomingHttpHeaders }[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a proxy between a data plane and the catalog service, which records the requests. */
export async function startRecorder(targetPort: () => number | undefined): Promise<Recorder> {
  const seen: Recorder['seen'] = [];
  const server = createServer((req, res) => {
    const { url: path = '', method, headers } = req;
    seen.push({ path, headers });
    const onward = request({ port: targetPort(), host: '127.0.0.1', path, method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  const port = await listen(server, 0, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listenTcp(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the relay has no TCP port'));
      else resolve(address.port);
    });
  });
}
