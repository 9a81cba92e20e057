import { z } from 'zod';
import { route } from '../route.ts';
import { callMethod, scopeOfMethod } from '../rpc/call-method.ts';

/** Limit of gRPC messages as well, because catalogs are large. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

const message = z.record(z.string(), z.unknown());

export const rpcRoutes = [
  route({
    method: 'POST',
    path: '/admin/v1/rpc/:service/:method',
    operationId: 'callMethod',
    tag: 'gatewayctl',
    summary: 'Call a method of the control plane',
    description:
      'gatewayctl makes its calls with this route when it has a URL and an admin key. docs/gatewayctl.md lists the ' +
      'methods that each command calls, and proto/gateway/v1 has their messages. Here they are JSON, with field ' +
      'names in camel case and 64-bit integers as decimal strings. Each method needs the scope of its subject. ' +
      'Messages change with releases: in programs of your own, use the other routes.',
    scope: scopeOfMethod,
    isGatewayctl: true,
    status: 200,
    maxBodyBytes: MAX_BODY_BYTES,
    body: message,
    response: message,
    handle: (context, { actor, body, params, signal }) =>
      callMethod(context, { ...params, actor, body, signal }),
  }),
];
