import type { RequestListener } from 'node:http';
import type { ErrorWriter } from '@model-gateway/service-kit';
import { toGatewayError } from '@model-gateway/shared';

/**
 * Passes a POST directly to its route if its target is exactly one of the route's, because the framework's
 * routing costs 4 µs a request. Every other spelling goes to `framework`, which alone decides about it.
 * @param posts the routes by target, the same that the framework has
 * @param writeError for what a route throws
 */
export function straightToRoute(
  posts: ReadonlyMap<string, RequestListener>,
  framework: RequestListener,
  writeError: ErrorWriter,
): RequestListener {
  return async (req, res) => {
    const route = req.method === 'POST' && req.url !== undefined ? posts.get(req.url) : undefined;
    if (route === undefined) return framework(req, res);
    try {
      await route(req, res);
    } catch (thrown) {
      writeError(req, res, toGatewayError(thrown));
    }
  };
}
