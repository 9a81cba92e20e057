import type { PassedRequest } from '../../contract/chat.ts';
import type { Asked } from '../../contract/provider-protocol.ts';
import type { JsonBody } from '../../json/json-body.ts';

/** What a provider of the caller's own API is asked. @param asked with the body that it gets */
export function passthroughRequest<Value>(
  passed: PassedRequest<Value> | Promise<PassedRequest<Value>>,
  asked: (body: JsonBody<Value>) => Asked,
): Asked | Promise<Asked> {
  if (passed instanceof Promise) return passed.then((request) => passthroughRequest(request, asked));
  const own = asked(passed.body);
  return passed.ignored.length === 0 ? own : { ...own, ignored: [...(own.ignored ?? []), ...passed.ignored] };
}
