import { spoilEvents } from '../faults/spoil-events.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import type { Answer } from './answer.ts';

/**
 * Sends a response with both Content-Length and Transfer-Encoding, as in response smuggling: two readers that
 * trust different headers would disagree about where it ends. Node refuses to write such a response, so it is
 * written to the socket.
 */
export async function sendContradictoryFraming(exchange: ProviderExchange, answer: Answer): Promise<void> {
  const body = await collect(exchange, answer);
  const contentType = answer.kind === 'events' ? 'text/event-stream' : answer.contentType;
  const head = [
    'HTTP/1.1 200 OK',
    `Content-Type: ${contentType}`,
    `Content-Length: ${Math.floor(body.length / 2)}`,
    'Transfer-Encoding: chunked',
  ];
  exchange.markEnded();
  const { socket } = exchange.req;
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.length.toString(16)}\r\n`);
  socket.write(body);
  socket.end('\r\n0\r\n\r\n');
}

async function collect({ fault, protocol }: ProviderExchange, answer: Answer): Promise<Buffer> {
  if (answer.kind === 'whole') return Buffer.from(answer.body);
  const parts: Buffer[] = [];
  if (answer.kind === 'bytes') for await (const chunk of answer.chunks) parts.push(chunk);
  else
    for await (const { content } of spoilEvents(answer.events, fault, protocol.stream))
      parts.push(Buffer.from(content));
  return Buffer.concat(parts);
}
