import type { ServerResponse } from 'node:http';
import { toGatewayError } from '@model-gateway/shared';
import { methodNotAllowed, routeNotFound } from '@model-gateway/shared/errors';
import type { ServiceLife } from '../lifecycle/start-service.ts';
import { Gauge, type Registry } from '../observability/metrics.ts';
import { createHttpServer } from './create-http-server.ts';
import { healthBody, VERSION } from './health.ts';
import { closeServer, listen } from './listen.ts';
import { writeError } from './write-error.ts';

export interface InternalServerOptions {
  service: string;
  registry: Registry;
  /** Returns what prevents the service from serving, e.g. `no catalog yet`. `shutting down` is added here. */
  notReadyBecause: () => readonly string[];
}

const DRAIN_MS = 100;

export interface InternalServer {
  /** @returns the port @throws when the port is taken */
  listen(port: number, host: string): Promise<number>;
}

/**
 * Makes the server for operators, never for clients: GET /metrics, /health and /health/ready. The service's
 * life closes it.
 */
export function createInternalServer(life: ServiceLife, options: InternalServerOptions): InternalServer {
  new Gauge({
    name: 'gateway_info',
    help: 'Always 1: which service this is, and its release.',
    registers: [options.registry],
    labelNames: ['service', 'version'] as const,
  }).set({ service: options.service, version: VERSION }, 1);
  const server = createHttpServer((req, res) => {
    const path = req.url?.split('?', 1)[0];
    const route = path === undefined ? undefined : routes[path];
    if (route === undefined) return writeError(res, routeNotFound());
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      return writeError(res, methodNotAllowed(req.method ?? '', ['GET', 'HEAD']));
    }
    Promise.resolve(route(res)).catch((thrown: unknown) => writeError(res, toGatewayError(thrown)));
  });
  const routes: Record<string, (res: ServerResponse) => void | Promise<void>> = {
    '/metrics': async (res) => {
      const text = await options.registry.metrics();
      res.writeHead(200, { 'content-type': options.registry.contentType }).end(text);
    },
    '/health': (res) => writeJson(res, 200, healthBody(options.service)),
    '/health/ready': (res) => {
      const reasons = [...(life.stop === undefined ? [] : ['shutting down']), ...options.notReadyBecause()];
      if (reasons.length > 0) writeJson(res, 503, { status: 'not_ready', service: options.service, reasons });
      else writeJson(res, 200, { status: 'ready', service: options.service });
    },
  };
  life.parts.defer(() => closeServer(server, DRAIN_MS));
  return { listen: (port, host) => listen(server, port, host) };
}

function writeJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  res.end(JSON.stringify(body));
}
