import type { PassedRequest } from '../../interfaces/chat.ts';
import type { Asked } from '../../interfaces/provider-protocol.ts';
import type { JsonBody } from '../../json/json-body.ts';

/** @param asked builds the request from its body */
export function buildPassthroughRequest<Value>(
  passed: PassedRequest<Value> | Promise<PassedRequest<Value>>,
  asked: (body: JsonBody<Value>) => Asked,
): Asked | Promise<Asked> {
  if (passed instanceof Promise) return passed.then((request) => buildPassthroughRequest(request, asked));
  const own = asked(passed.body);
  return passed.ignored.length === 0 ? own : { ...own, ignored: [...(own.ignored ?? []), ...passed.ignored] };
}
