// The provider behind all targets. It gives all of them the same answers, as fast as Node can.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { type AnswerPlan, findPlan, sharedClockUs } from '../wire/answer-plan.ts';
import { fixedCompletion } from '../wire/fixed-answer.ts';
import { SMALL } from '../wire/request-body.ts';
import { STAMPED, TIMES_HEADER } from '../wire/stamps.ts';
import { STREAMED_ANSWERS, type StreamedAnswer } from '../wire/streamed-answers.ts';
import { serveAndReport } from './serve-and-report.ts';

const ANSWERS = Object.values(STREAMED_ANSWERS);
const completions = new Map<number, Buffer>();
const streams = new Map<string, readonly [bytes: number, crc: number]>();

serveAndReport(
  createServer((req, res) => {
    if (req.method === 'GET') return answerGet(req, res);
    const gotUs = sharedClockUs();
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const [only = Buffer.alloc(0)] = parts;
      const plan = findPlan(parts.length > 1 ? Buffer.concat(parts) : only) ?? SMALL;
      if (plan.chunks > 0) sendStream(res, plan, answerAt(req.url ?? ''));
      else sendCompletion(res, plan, gotUs);
    });
  }),
);

function answerAt(path: string): StreamedAnswer {
  return ANSWERS.find(({ at }) => path.endsWith(at)) ?? STREAMED_ANSWERS.chat;
}

/** `/streams`: the streams sent since the previous call. */
function answerGet(req: IncomingMessage, res: ServerResponse): void {
  const body = req.url === '/streams' ? Object.fromEntries(streams) : { object: 'list', data: [] };
  if (req.url === '/streams') streams.clear();
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}

function sendCompletion(
  res: ServerResponse,
  { answerBytes: bytes, stream }: AnswerPlan,
  gotUs: number,
): void {
  const body = completions.get(bytes) ?? fixedCompletion(bytes);
  completions.set(bytes, body);
  if (stream === STAMPED) res.setHeader(TIMES_HEADER, `${gotUs}-${sharedClockUs()}`);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  res.end(body);
}

function sendStream(
  res: ServerResponse,
  { chunks, intervalMs, stream }: AnswerPlan,
  answer: StreamedAnswer,
): void {
  const { contentType = 'text/event-stream; charset=utf-8' } = answer;
  res.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
  let sent = 0;
  let bytes = 0;
  let crc = 0;
  const send = () => {
    const start = sent === 0 ? answer.start : '';
    sent += 1;
    const text = start + answer.chunkAt(sharedClockUs()) + (sent === chunks ? answer.end : '');
    if (stream !== undefined) {
      bytes += text.length;
      crc = crc32(text, crc);
    }
    if (sent < chunks) {
      res.write(text, 'latin1');
      return;
    }
    clearInterval(timer);
    if (stream !== undefined) streams.set(stream, [bytes, crc]);
    res.end(text, 'latin1');
  };
  const timer = setInterval(send, intervalMs);
  res.on('close', () => clearInterval(timer));
  send();
}
