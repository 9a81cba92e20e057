import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { FAILING } from './failing-chat.ts';

/**
 * Worker thread: a provider of Chat Completions and Messages that discards its requests, answers embeddings
 * with 41 MB, and chats that begin with FAILING with 500.
 */

const DIMENSIONS = 2_048;
const ENTRIES = 1_000;
const STREAM_EVENTS = 20;

const embedding = `[${'-0.012345678901,'.repeat(DIMENSIONS)}0]`;
const entry = (index: number) => `{"object":"embedding","index":${index},"embedding":${embedding}}`;
const embeddings = Buffer.from(
  `{"object":"list","data":[${Array.from({ length: ENTRIES }, (_, index) => entry(index)).join(',')}],"model":"m","usage":{"prompt_tokens":1,"total_tokens":1}}`,
);
const chat = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const chunk = JSON.stringify({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content: 'hello' }, finish_reason: null }],
});

const message = JSON.stringify({
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
});

const server = createServer(async (req, res) => {
  let isFailing = false;
  req.once('data', (first: Buffer) => {
    isFailing = first.subarray(0, 500).includes(FAILING);
  });
  req.resume();
  if (req.headers.accept === 'text/event-stream') {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let sent = 0; sent < STREAM_EVENTS && !res.destroyed; sent++) {
      res.write(`data: ${chunk}\n\n`);
      await wait(50);
    }
    res.end('data: [DONE]\n\n');
    return;
  }
  req.once('end', () => {
    res.writeHead(isFailing ? 500 : 200, { 'content-type': 'application/json' });
    if (isFailing) res.end('{"error":{"message":"failed"}}');
    else if (req.url?.endsWith('/embeddings')) res.end(embeddings);
    else if (req.url?.endsWith('/transcriptions')) res.end('{"text":"hello"}');
    else if (req.url?.endsWith('/images/edits')) res.end('{"created":1,"data":[{"b64_json":"AAAA"}]}');
    else if (req.url?.endsWith('/messages')) res.end(message);
    else res.end(chat);
  });
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
