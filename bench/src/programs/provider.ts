// The provider behind all targets: it gives everybody the same answers, as fast as Node can.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { type AnswerPlan, findPlan, sharedClockUs } from '../wire/answer-plan.ts';
import { chunkAt, fixedCompletion, STREAM_END } from '../wire/fixed-answer.ts';
import { deltaAt, MESSAGE_END, MESSAGE_START } from '../wire/fixed-message.ts';
import { RESPONSE_END, RESPONSE_START, textDeltaAt } from '../wire/fixed-response.ts';
import { serveAndReport } from './serve-and-report.ts';

const DEFAULT_PLAN: AnswerPlan = { answerBytes: 1_000, chunks: 0, intervalMs: 0 };
/** The events of a streamed answer. */
interface StreamForm {
  start: string;
  chunkAt: (timeUs: number) => string;
  end: string;
}

const CHAT: StreamForm = { start: '', chunkAt, end: STREAM_END };
const MESSAGES: StreamForm = { start: MESSAGE_START, chunkAt: deltaAt, end: MESSAGE_END };
const RESPONSES: StreamForm = { start: RESPONSE_START, chunkAt: textDeltaAt, end: RESPONSE_END };
const completions = new Map<number, Buffer>();
/** Bytes sent and their checksum, by name of the stream. */
const streams = new Map<string, readonly [bytes: number, crc: number]>();

serveAndReport(
  createServer((req, res) => {
    if (req.method === 'GET') return answerGet(req, res);
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const [only = Buffer.alloc(0)] = parts;
      const plan = findPlan(parts.length > 1 ? Buffer.concat(parts) : only) ?? DEFAULT_PLAN;
      if (plan.chunks > 0) sendStream(res, plan, formAt(req.url ?? ''));
      else sendCompletion(res, plan.answerBytes);
    });
  }),
);

function formAt(path: string): StreamForm {
  if (path.startsWith('/v1/messages')) return MESSAGES;
  return path.startsWith('/v1/responses') ? RESPONSES : CHAT;
}

/** `/streams`: what was sent since the last time this was asked. */
function answerGet(req: IncomingMessage, res: ServerResponse): void {
  const body = req.url === '/streams' ? Object.fromEntries(streams) : { object: 'list', data: [] };
  if (req.url === '/streams') streams.clear();
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}

function sendCompletion(res: ServerResponse, bytes: number): void {
  const body = completions.get(bytes) ?? fixedCompletion(bytes);
  completions.set(bytes, body);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  res.end(body);
}

function sendStream(res: ServerResponse, { chunks, intervalMs, stream }: AnswerPlan, form: StreamForm): void {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  let sent = 0;
  let bytes = 0;
  let crc = 0;
  const send = () => {
    const start = sent === 0 ? form.start : '';
    sent += 1;
    const text = start + form.chunkAt(sharedClockUs()) + (sent === chunks ? form.end : '');
    if (stream !== undefined) {
      bytes += text.length;
      crc = crc32(text, crc);
    }
    if (sent < chunks) {
      res.write(text);
      return;
    }
    clearInterval(timer);
    if (stream !== undefined) streams.set(stream, [bytes, crc]);
    res.end(text);
  };
  const timer = setInterval(send, intervalMs);
  res.on('close', () => clearInterval(timer));
  send();
}
