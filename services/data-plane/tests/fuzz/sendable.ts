import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { UpstreamRequest } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import type { FuzzedKind } from './chats.ts';
import { hasMark, require } from './fuzz-target.ts';

/** @throws Error unless a request can be sent to its provider, or is refused as the caller's mistake */
export async function requireSendable(
  build: () => UpstreamRequest | Promise<UpstreamRequest>,
  kind: Pick<FuzzedKind, 'protocol'>,
): Promise<void> {
  try {
    await checkRequest(await build(), kind);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    require(thrown.status >= 400 && thrown.status < 500, `status ${thrown.status}: ${thrown.message}`);
    require(!hasMark(`${thrown.message} ${thrown.param}`), 'the mark of a number goes out');
    require((thrown.param?.length ?? 0) <= 300, `a field of ${thrown.param?.length} characters`);
    require(thrown.message.length <= 2_000, `a message of ${thrown.message.length} characters`);
  }
}

async function checkRequest(
  request: UpstreamRequest,
  { protocol }: Pick<FuzzedKind, 'protocol'>,
): Promise<void> {
  require(/^\/[\x21-\x7e]*$/.test(request.path), `the path ${JSON.stringify(request.path)}`);
  const headers = protocol.head({ constant: {}, credential: 'credential', request, req: { headers: {} } });
  for (const [header, value] of Object.entries(headers)) {
    validateHeaderName(header);
    validateHeaderValue(header, value);
  }
  for (const ignored of request.ignored ?? [])
    require(ignored.length <= 500, 'a long name of an ignored field');
  const { content = '{}' } = request.body ?? {};
  const json = content instanceof Readable ? await textOf(content) : content.toString();
  JSON.parse(json);
  const sent = [json, request.path, ...Object.values(headers), ...(request.ignored ?? [])].join(' ');
  require(!hasMark(sent), 'the mark of a number goes out');
}
