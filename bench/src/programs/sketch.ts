// A sketch of a gateway, which shows the minimum cost of each stage in Node, not how to write it. It has no
// deadlines, memory limits, money, validation or streams, and trusts provider and Redis.
// Arguments: number of the last stage, URL of the provider, file of the access log, URL of Redis.
import { createHmac } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import process from 'node:process';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { z } from 'zod';
import { SKETCH } from '../wire/sketch-stages.ts';
import { serveAndReport } from './serve-and-report.ts';

const CONNECTIONS = 64;
const FLUSH_MS = 20;
const WINDOW_MS = 60_000;
const LIMIT = 1e9;
const BUCKETS = 20;
/** Counts the requests of a sliding minute, and adds this one if it is within the limit. */
const ADMIT = `
local used = redis.call('ZCOUNT', KEYS[1], ARGV[1] - ${WINDOW_MS}, '+inf')
if used >= ${LIMIT} then return 0 end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS})
return 1`;
const UPSTREAM_HEADERS = ['content-type', 'application/json', 'authorization', 'Bearer provider'];
const LIMIT_HEADERS = [
  ...['x-ratelimit-limit-requests', '100', 'x-ratelimit-remaining-requests', '99'],
  ...['x-ratelimit-reset-requests', '1s', 'ratelimit-policy', '"key";q=100;w=60'],
  ...['ratelimit', '"key";r=99;t=60', 'x-gateway-overhead-ms', '0.50'],
  ...['x-gateway-provider', 'fixed', 'x-gateway-model', 'fixed'],
];

const [stage, provider, logFile, redisUrl] = z
  .tuple([z.coerce.number(), z.url(), z.string(), z.url().optional()])
  .parse(process.argv.slice(2));
const pool = new Pool(provider, { connections: CONNECTIONS, pipelining: 1 });
const redis = redisUrl === undefined ? undefined : new Redis(redisUrl, { enableAutoPipelining: true });
const log = createWriteStream(logFile);
const hashes = new Map<string, string>();
const histogram = new Float64Array(BUCKETS);
let requests = 0;
let lines = '';
let settled: object[] = [];

setInterval(() => {
  log.write(lines);
  lines = '';
  settled = [];
}, FLUSH_MS);

serveAndReport(
  createServer((req, res) => {
    const startedMs = performance.now();
    if (req.method === 'GET') return void res.end();
    const key = stage >= SKETCH.key ? hashOf(req.headers.authorization) : '';
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const body = stage >= SKETCH.body ? changedBody(joined(parts)) : joined(parts);
      const record = { id: `req_${requests++}`, key, startedMs };
      if (stage < SKETCH.limit || redis === undefined) return forward(res, body, record);
      redis.eval(ADMIT, 1, `sketch:${key}`, Date.now(), record.id).then(
        (isAdmitted) => (isAdmitted === 1 ? forward(res, body, record) : refuse(res, 429)),
        () => refuse(res, 503),
      );
    });
  }),
);

interface RequestRecord {
  id: string;
  key: string;
  startedMs: number;
}

function forward(res: ServerResponse, body: Buffer, record: RequestRecord): void {
  const parts: Buffer[] = [];
  let status = 0;
  pool.dispatch(
    { method: 'POST', path: '/v1/chat/completions', headers: UPSTREAM_HEADERS, body },
    {
      // Undici distinguishes its two handler interfaces by this method.
      onRequestStart() {},
      onResponseStart: (_controller, statusCode) => {
        status = statusCode;
      },
      onResponseData: (_controller, part) => {
        parts.push(part);
      },
      onResponseEnd: () => respond(res, status, joined(parts), record),
      onResponseError: () => refuse(res, 502),
    },
  );
}

function respond(res: ServerResponse, status: number, received: Buffer, record: RequestRecord): void {
  if (stage < SKETCH.response) {
    end(res, status, received, []);
    return;
  }
  const answer = JSON.parse(received.toString());
  const body = Buffer.from(JSON.stringify(answer));
  end(res, status, body, ['x-request-id', record.id, ...LIMIT_HEADERS]);
  if (stage >= SKETCH.record) write(record, status, answer.usage);
}

function end(res: ServerResponse, status: number, body: Buffer, headers: readonly string[]): void {
  const own = ['content-type', 'application/json', 'content-length', String(body.length)];
  res.writeHead(status, [...own, ...headers]);
  res.end(body);
}

function write({ id, key, startedMs }: RequestRecord, status: number, usage: Record<string, number>): void {
  const ms = performance.now() - startedMs;
  const [input_tokens, output_tokens] = [usage.prompt_tokens, usage.completion_tokens];
  const counts = { input_tokens, output_tokens, cost_usd: '0.000001', client_ip: '127.0.0.1' };
  const line = {
    level: 'info',
    time: Date.now(),
    request_id: id,
    method: 'POST',
    status,
    ms,
    key,
    ...counts,
  };
  lines += `${JSON.stringify(line)}\n`;
  const bucket = Math.min(BUCKETS - 1, Math.max(0, Math.ceil(Math.log2(ms * 4))));
  histogram[bucket] = (histogram[bucket] ?? 0) + 1;
  settled.push({ id, key, usage, cost: 1n, startedMs });
}

function changedBody(received: Buffer): Buffer {
  const request = JSON.parse(received.toString());
  request.model = String(request.model);
  return Buffer.from(JSON.stringify(request));
}

function hashOf(authorization = ''): string {
  const [, rawKey = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  const known = hashes.get(rawKey);
  if (known !== undefined) return known;
  const hash = createHmac('sha256', 'pepper').update(rawKey).digest('hex');
  hashes.set(rawKey, hash);
  return hash;
}

function refuse(res: ServerResponse, status: number): void {
  res.writeHead(status).end();
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}
