import type { RequestListener } from 'node:http';
import { writeError } from '@model-gateway/service-kit';
import { toGatewayError } from '@model-gateway/shared';

/**
 * Passes a POST directly to its route if its target is exactly the route's path, because the framework's
 * routing costs 4 µs a request. Every other spelling goes to `framework`, which alone decides about it.
 * @param posts the routes by path, the same that the framework has
 */
export function straightToRoute(
  posts: ReadonlyMap<string, RequestListener>,
  framework: RequestListener,
): RequestListener {
  return async (req, res) => {
    const route = req.method === 'POST' && req.url !== undefined ? posts.get(req.url) : undefined;
    if (route === undefined) return framework(req, res);
    try {
      await route(req, res);
    } catch (thrown) {
      writeError(res, toGatewayError(thrown));
    }
  };
}
