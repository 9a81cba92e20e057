// The provider behind all targets: it gives everybody the same answers, as fast as Node can.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { type AnswerPlan, findPlan, sharedClockUs } from '../wire/answer-plan.ts';
import { chunkAt, fixedCompletion, STREAM_END } from '../wire/fixed-answer.ts';
import { CLAUDE_END, CLAUDE_START, claudeDeltaAt } from '../wire/fixed-claude-at-bedrock.ts';
import { COHERE_END, COHERE_START, cohereDeltaAt } from '../wire/fixed-cohere.ts';
import { CONTENT_END, contentAt } from '../wire/fixed-content.ts';
import { CONVERSE_END, CONVERSE_START, converseDeltaAt } from '../wire/fixed-converse.ts';
import { deltaAt, MESSAGE_END, MESSAGE_START } from '../wire/fixed-message.ts';
import { RESPONSE_END, RESPONSE_START, textDeltaAt } from '../wire/fixed-response.ts';
import { serveAndReport } from './serve-and-report.ts';

const DEFAULT_PLAN: AnswerPlan = { answerBytes: 1_000, chunks: 0, intervalMs: 0 };
/** The events of a streamed answer, each byte one character. */
interface StreamForm {
  /** How the paths end where it is asked for; the others are of Chat Completions. */
  at: string;
  contentType?: string;
  start: string;
  chunkAt: (timeUs: number) => string;
  end: string;
}

const EVENT_STREAM = 'application/vnd.amazon.eventstream';
const CHAT: StreamForm = { at: '/chat/completions', start: '', chunkAt, end: STREAM_END };
const FORMS: readonly StreamForm[] = [
  CHAT,
  { at: '/messages', start: MESSAGE_START, chunkAt: deltaAt, end: MESSAGE_END },
  { at: '/responses', start: RESPONSE_START, chunkAt: textDeltaAt, end: RESPONSE_END },
  { at: ':streamGenerateContent?alt=sse', start: '', chunkAt: contentAt, end: CONTENT_END },
  { at: '/v2/chat', start: COHERE_START, chunkAt: cohereDeltaAt, end: COHERE_END },
  {
    at: '/converse-stream',
    contentType: EVENT_STREAM,
    start: CONVERSE_START,
    chunkAt: converseDeltaAt,
    end: CONVERSE_END,
  },
  {
    at: '/invoke-with-response-stream',
    contentType: EVENT_STREAM,
    start: CLAUDE_START,
    chunkAt: claudeDeltaAt,
    end: CLAUDE_END,
  },
];
const completions = new Map<number, Buffer>();
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
  return FORMS.find(({ at }) => path.endsWith(at)) ?? CHAT;
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
  const { contentType = 'text/event-stream; charset=utf-8' } = form;
  res.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
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
