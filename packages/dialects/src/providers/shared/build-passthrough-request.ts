import type { PassthroughBody } from '../../interfaces/chat.ts';
import type { UpstreamRequest } from '../../interfaces/provider-protocol.ts';
import type { JsonBody } from '../../json/json-body.ts';

/** Builds a request with `build`, and adds the ignored fields of its body. */
export function buildPassthroughRequest<Value>(
  passthrough: PassthroughBody<Value> | Promise<PassthroughBody<Value>>,
  build: (body: JsonBody<Value>) => UpstreamRequest,
): UpstreamRequest | Promise<UpstreamRequest> {
  if (passthrough instanceof Promise) return passthrough.then((body) => buildPassthroughRequest(body, build));
  const request = build(passthrough.body);
  const { ignored } = passthrough;
  return ignored.length === 0 ? request : { ...request, ignored: [...(request.ignored ?? []), ...ignored] };
}
